import { createHash } from 'node:crypto'
import type pg from 'pg'
import { prepared } from '../../../platform/database/prepared.ts'
import { money } from '../../../platform/money.ts'
import type { Message } from '../kinds/message.ts'
import type { Claimed, Due } from '../sending/claims.ts'
import type { DeliveryContent } from './content.ts'
import { type DealSaid, type RenderDeps, readMessageDeals } from './deal-messages.ts'
import { listTitle } from './list-titles.ts'
import { finderText } from './texts.ts'

/** A deal of a message, and the alerts that find it. `is_over`: it has ended since, though it may be back: that is told anew. */
export type ToldDeal = { deal_id: number; alert_ids: number[]; is_over: boolean }

/** Deals that a list names; the others it counts. */
const mostNamed = 10

type Search = { id: number; name: string; question: string | null }

const toldDeals = prepared(
  'told deals',
  `select deal_id, array(
       select unnest(alert_ids) union select alert_id from alert_matches m where m.episode_id = d.episode_id and m.is_matching
       order by 1
     ) as alert_ids, exists (select from alert_episodes e where e.id = d.episode_id and e.closed_at is not null) as is_over
     from delivery_deals d where delivery_id = $1 order by deal_id`,
)

/** The deals of a message: with the alerts that found them first, and those that found them since. */
export async function readToldDeals(client: pg.Pool, deliveryId: number): Promise<ToldDeal[]> {
  const { rows } = await client.query<ToldDeal>({ ...toldDeals, values: [deliveryId] })
  return rows
}

const findingSearches = prepared(
  'searches that find',
  `select a.id, coalesce(s.name, '') as name, s.question, a.target_price
     from alerts a left join saved_searches s on s.id = a.search_id
     where a.id = any($1) and (a.search_id is null or s.is_shared or s.owner_id = $2)`,
)

/** What found the deals; without searches that were shared once, and that another member has for themselves now. */
async function readSearches(
  client: pg.Pool,
  alertIds: readonly number[],
  ownerId: number | null,
  deps: RenderDeps,
): Promise<Map<number, Search>> {
  const { rows } = await client.query<Search & { target_price: number | null }>({
    ...findingSearches,
    values: [alertIds, ownerId],
  })
  const { MARKETPLACE: marketplace } = deps.settings
  return new Map(
    rows.map(({ target_price, ...search }) => {
      const target = target_price === null ? null : money(target_price, marketplace)
      return [search.id, { ...search, name: finderText(search.name, target) }]
    }),
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
  const searches = await readSearches(deps.databases.customPlanPool, alertIds, target.owner_id, deps)
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
    .slice(0, mostNamed)
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
async function readLastTold({ databases }: RenderDeps, due: Due): Promise<DeliveryContent> {
  if (due.episode_id === null) return {}
  const { rows } = await databases.customPlanPool.query<{ price: number | null }>(
    `select coalesce(d.content->>'price', (
         select said->>'price' from jsonb_array_elements(d.content->'deals') said where (said->>'id')::bigint = told.deal_id
       ))::float8 as price
     from delivery_deals told join deliveries d on d.id = told.delivery_id
     where told.episode_id = $1 and d.id < $2 and d.sent_at is not null order by d.id desc limit 1`,
    [due.episode_id, due.id],
  )
  return { price: rows[0]?.price ?? null }
}

/** The price that a message said before the present one; the one before that while it is the same. */
function priceBefore({ price = null, before = null }: DeliveryContent, amount: number | null): number | null {
  return price === null || price === amount ? before : price
}

/** Where the deals of a list are found: by their search where it is one, and among all otherwise. */
function pageOf(origin: string, searches: readonly Search[]): string {
  const url = new URL('/amazon-haul', origin)
  const [only, other] = searches
  if (only?.question && other === undefined) url.searchParams.set('q', only.question)
  return url.href
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

/** The deals of a message as they are now. */
export function readSaid(
  deps: RenderDeps,
  target: Claimed,
  told: readonly ToldDeal[],
): Promise<Map<number, DealSaid>> {
  return readMessageDeals(
    deps,
    told.map(({ deal_id }) => deal_id),
    { affiliateTag: target.affiliate_tag },
  )
}
