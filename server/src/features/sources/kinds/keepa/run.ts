import { HostQuietError } from '../../../../platform/outgoing/host-turns.ts'
import { FetchError } from '../../../../platform/outgoing/safe-fetch.ts'
import { isObject } from '../../../../platform/outgoing/service-answers.ts'
import type { Handed, RunContext, RunOutcome } from '../source-kind.ts'
import { KeepaClient } from './client.ts'
import { handedDeal, type KeepaObject, lastUpdateOf, usualPrice } from './deals.ts'
import { type KeepaSettings, pageRows, pageTokens } from './form.ts'
import { keepaMinute, overlap, type Pass, type Position, positionOf } from './position.ts'
import { domainIdOf, priceTypes, questionHash, selectionOf } from './selection.ts'

/** Products of one request at most. */
const mostProducts = 100
const noList: RunOutcome = { state: 'failed', text: 'Keepa’s answer holds no list of deals.' }

/** Reads the list of deals, the newest first, to where the last list read to its end had begun. */
export async function runKeepa(
  base: string,
  settings: KeepaSettings,
  context: RunContext,
): Promise<RunOutcome> {
  const domainId = domainIdOf(context.marketplace)
  if (domainId === undefined) return unknownMarketplace(context)
  const client = new KeepaClient(base, context)
  const selection = selectionOf(settings, domainId, context.marketplace)
  const notes = new Set<string>()
  const ended = (outcome: RunOutcome): RunOutcome => {
    const cost = client.cost()
    return { ...outcome, notes: [...notes, ...client.notes()], ...(cost !== undefined && { cost }) }
  }

  let position = positionOf(context.position, questionHash(selection), context.clock())
  const save = async (next: Position) => {
    position = next
    await context.savePosition(next)
  }
  let hasNews = false
  for (;;) {
    const now = context.clock().getTime()
    const pass: Pass = position.pass ?? { page: 0, top: null, begun: now, at: now, repeated: null }
    const { page } = pass
    const answer = await client.deals({ ...selection, page }, pageTokens, settings.reserve)
    if (answer.problem) return ended(answer.problem)
    const deals = dealsOf(answer.document)
    if (!deals) return ended(noList)
    const times = deals.flatMap((deal) => lastUpdateOf(deal) ?? [])
    const { mark } = position
    const floor = mark === null ? Number.NEGATIVE_INFINITY : mark - overlap
    const survivors = deals.filter((deal) => (lastUpdateOf(deal) ?? Number.POSITIVE_INFINITY) > floor)
    const unseen = survivors.filter((deal) => mark === null || (lastUpdateOf(deal) ?? 0) > mark)
    const products = settings.asks_products
      ? await productsOf(client, domainId, unseen, settings.reserve + pageTokens, notes)
      : new Map<unknown, KeepaObject>()
    if (survivors.length > 0)
      hasNews = isNews(await handDeals(context, settings, survivors, products)) || hasNews

    // One deal with a time to come would blind the source to all others until then.
    const latest = keepaMinute(new Date(now))
    const top = pass.top ?? (times.length > 0 ? Math.min(latest, Math.max(...times)) : null)
    const isRead = deals.length < pageRows || times.length === 0 || Math.min(...times) <= floor
    if (isRead || page + 1 >= settings.most_pages) {
      if (!isRead)
        notes.add(
          `Keepa has more deals than ${settings.most_pages} pages, of which the oldest were left out.`,
        )
      await save({ ...position, mark: mark === null ? top : Math.max(mark, top ?? mark), pass: null })
      return ended({ state: hasNews ? 'done' : 'unchanged' })
    }
    await save({ ...position, pass: { ...pass, page: page + 1, top, at: now } })
  }
}

/** Checks the key for nothing, then asks for one page. */
export async function tryKeepa(
  base: string,
  settings: KeepaSettings,
  context: RunContext,
): Promise<RunOutcome> {
  const domainId = domainIdOf(context.marketplace)
  if (domainId === undefined) return unknownMarketplace(context)
  const client = new KeepaClient(base, context)
  const status = await client.status()
  if (status.problem) return status.problem
  const selection = selectionOf(settings, domainId, context.marketplace)
  const answer = await client.deals({ ...selection, page: 0 }, pageTokens, 0)
  if (answer.problem) return { ...answer.problem, notes: client.notes() }
  const deals = dealsOf(answer.document)
  if (!deals) return noList
  await handDeals(context, settings, deals, new Map())
  const left = client.tokens ? `; ${client.tokens.left} are left` : ''
  return { state: 'done', notes: client.notes(), cost: `${client.consumed} tokens for this try${left}` }
}

function unknownMarketplace({ marketplace }: RunContext): RunOutcome {
  return { state: 'failed', isPermanent: true, text: `Keepa has no deals of ${marketplace.domain}.` }
}

function dealsOf({ deals }: KeepaObject): KeepaObject[] | null {
  return isObject(deals) && Array.isArray(deals.dr) ? deals.dr.filter(isObject) : null
}

function handDeals(
  context: RunContext,
  { price, availability }: KeepaSettings,
  deals: readonly KeepaObject[],
  products: ReadonlyMap<unknown, KeepaObject>,
): Promise<Handed> {
  const body = deals.map((deal) => handedDeal(deal, priceTypes[price], products.get(deal.asin)))
  const unit = 10 ** context.marketplace.decimals
  const usual = new Map(
    deals.flatMap((deal) => {
      const average = usualPrice(deal, priceTypes[price])
      return typeof deal.asin === 'string' && average !== null ? [[deal.asin, average / unit] as const] : []
    }),
  )
  return context.hand({ body, availability, usual, isWhole: false, listsAll: false })
}

const isNews = ({ created, updated, held }: Handed) => created + updated + held > 0

/** The products of deals by ASIN, as far as there are tokens. Deals are worth more without them than not at all, so nothing here ends the run. */
async function productsOf(
  client: KeepaClient,
  domainId: number,
  deals: readonly KeepaObject[],
  reserve: number,
  notes: Set<string>,
): Promise<Map<unknown, KeepaObject>> {
  const found = new Map<unknown, KeepaObject>()
  const asins = deals.flatMap(({ asin }) =>
    typeof asin === 'string' && /^[A-Z\d]{10}$/.test(asin) ? asin : [],
  )
  for (let from = 0; from < asins.length; from += mostProducts) {
    const answer = await client
      .products(domainId, asins.slice(from, from + mostProducts), reserve)
      .catch((error: unknown) => {
        if (error instanceof FetchError || error instanceof HostQuietError) return null
        throw error
      })
    if (!answer?.document) {
      const why =
        answer?.problem?.state === 'waiting' ? 'there were too few tokens' : 'Keepa didn’t answer that'
      notes.add(`Some deals came without rating and list price, since ${why}.`)
      return found
    }
    const { products } = answer.document
    for (const product of Array.isArray(products) ? products : [])
      if (isObject(product)) found.set(product.asin, product)
  }
  return found
}
