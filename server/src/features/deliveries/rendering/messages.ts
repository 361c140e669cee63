import { createHash } from 'node:crypto'
import { money } from '../../../platform/money.ts'
import type { Message } from '../kinds/message.ts'
import type { Claimed } from '../sending/claims.ts'
import type { Due } from '../sending/taking.ts'
import type { DeliveryContent } from './content.ts'
import { type DealSaid, type ReadDeps, sayDeal } from './deal-messages.ts'
import { listTitle } from './list-titles.ts'
import type { MessageReads, Search, ToldDeal } from './message-reads.ts'
import { inPieces } from './pieces.ts'

/** What messages are made with. */
export type RenderDeps = Pick<ReadDeps, 'settings'> & { reads: MessageReads; mostDeals?: number | undefined }

/** Deals that a list names to people; the others it counts. */
const mostNamed = 10

/** An address of more characters has no room in some messages: Discord takes 2,000 beside embeds, a push some 4,000 bytes in all. */
const longestAddress = 1_500

/** What found the deals; without searches that were shared once, and that another member has for themselves now. */
async function searchesFor(
  { reads }: RenderDeps,
  alertIds: readonly number[],
  ownerId: number | null,
): Promise<Map<number, Search>> {
  const searches = await inPieces(alertIds, (id) => reads.search(id))
  return new Map(
    searches.flatMap((search) =>
      search && (search.isForAll || (ownerId !== null && search.ownerId === ownerId))
        ? [[search.id, search]]
        : [],
    ),
  )
}

/** What is sent, and what is stored of it. */
export type Rendered = { message: Message; content: DeliveryContent }

/** What a delivery says now of those of its deals that `told` has; `said` are these as they are. */
export async function renderDelivery(
  deps: RenderDeps,
  target: Claimed,
  due: Due,
  told: readonly ToldDeal[],
  said: ReadonlyMap<number, DealSaid>,
): Promise<Rendered> {
  const { PUBLIC_URL: origin } = deps.settings
  const settingsUrl = origin === '' ? null : new URL('/alerts', origin).href
  const isEdit = due.state !== 'queued'
  const common = { uid: due.uid, settingsUrl, isSilent: isEdit }
  if (due.kind === 'notice') {
    const { title = '', text = '' } = due.content
    return finish({ ...common, kind: 'notice', searches: [], disclosure: '', title, text }, due.content)
  }
  const alertIds = [...new Set(told.flatMap(({ alert_ids }) => alert_ids))]
  const searches = await searchesFor(deps, alertIds, target.owner_id)
  const namesOf = (ids: readonly number[]) => [...new Set(ids.flatMap((id) => searches.get(id)?.name ?? []))]
  const shared = {
    ...common,
    searches: namesOf(alertIds),
    disclosure: target.affiliate_tag === '' ? '' : target.disclosure,
  }
  const shown = told.flatMap(({ deal_id, alert_ids }) => {
    const found = said.get(deal_id)
    return found ? [{ ...found, searches: namesOf(alert_ids) }] : []
  })
  const [first] = shown
  const named = shown
    .toSorted((one, other) => (other.deal.off ?? 0) - (one.deal.off ?? 0))
    .slice(0, deps.mostDeals ?? mostNamed)
  const content = {
    ...due.content,
    deals: named.map(({ deal, state }) => ({ id: deal.id, state, price: deal.amount })),
  }
  if ((due.kind === 'deal' || due.kind === 'test') && first) {
    const last = due.content.price === undefined ? await readLastTold(deps, due) : due.content
    const before = priceBefore(last, first.deal.amount)
    const priceText = before === null ? null : money(before, deps.settings.MARKETPLACE)
    return finish(
      {
        ...{
          ...shared,
          kind: 'deal',
          state: first.state,
          isTest: due.kind === 'test',
          isUrgent: due.is_urgent,
        },
        deal: { ...first.deal, priceBefore: first.deal.amount === null ? null : priceText },
      },
      { ...content, price: first.deal.amount, before },
    )
  }
  return finish(
    {
      ...{ ...shared, kind: 'list', title: listTitle(shown.length, due.collected_for) },
      ...{ deals: named, more: shown.length - named.length, isDigest: due.kind === 'digest' },
      pageUrl: origin === '' ? null : pageOf(origin, [...searches.values()]),
    },
    content,
  )
}

/** What the message before this one said of a deal that is told of again. */
async function readLastTold({ reads }: RenderDeps, { id, episode_id }: Due): Promise<DeliveryContent> {
  return episode_id === null ? {} : { price: await reads.lastPrice({ id, episodeId: episode_id }) }
}

/** The price that a message said before the present one; the one before that while it is the same. */
function priceBefore({ price = null, before = null }: DeliveryContent, amount: number | null): number | null {
  return price === null || price === amount ? before : price
}

/** Where the deals of a list are found: by their search where it is one that an address has room for, and among all otherwise. */
function pageOf(origin: string, searches: readonly Search[]): string {
  const url = new URL('/amazon-haul', origin)
  const { href } = url
  const [only, other] = searches
  if (only?.question && other === undefined) url.searchParams.set('q', only.question)
  return url.href.length > longestAddress ? href : url.href
}

/** With what tells whether a message would say anything else: not when a price was seen, which is always another time. */
function finish(message: Message, content: DeliveryContent): Rendered {
  const said = createHash('sha256')
    .update(
      JSON.stringify(message, (key, value) =>
        key === 'observedAt' || key === 'isSilent' ? undefined : value,
      ),
    )
    .digest('base64url')
    .slice(0, 16)
  return { message, content: { ...content, said } }
}

/** The deals of a message as they are now, by their ids. */
export async function readSaid(
  { reads, settings }: RenderDeps,
  { affiliate_tag }: Claimed,
  told: readonly ToldDeal[],
): Promise<Map<number, DealSaid>> {
  const known = await inPieces(told, ({ deal_id }) => reads.deal(deal_id))
  return new Map(known.map((deal) => [deal.id, sayDeal(deal, settings, affiliate_tag)]))
}
