import { productLink } from '@dealdeck/marketplace/product-links'
import type pg from 'pg'
import { prepared } from '../../../platform/database/prepared.ts'
import type { AppDeps } from '../../../platform/deps.ts'
import { money } from '../../../platform/money.ts'
import { type PriceWords, putPricesInWords } from '../../prices/actions.ts'
import type { DealState, MessageDeal } from '../kinds/message.ts'
import { type Leaving, readLeaving } from './leaving.ts'
import { blocksOf } from './sparkline.ts'
import { oneLine, ratingText } from './texts.ts'

export type ShopSettings = Pick<AppDeps['settings'], 'MARKETPLACE' | 'PUBLIC_URL'>
export type ReadDeps = Pick<AppDeps, 'databases' | 'clock'> & { settings: ShopSettings }

export type DealSaid = { deal: MessageDeal; state: DealState }

type Row = {
  id: number
  asin: string
  title: string
  price: number
  original_price: number | null
  discount_percentage: number | null
  rating: number | null
  review_count: number | null
  image_url: string | null
  product_url: string
  prime_eligible: boolean
  observed_at: Date
  ends_at: Date | null
  is_sample: boolean
  is_gone: boolean
  is_over: boolean
}

const all: Leaving = { price: true, picture: true, title: true }
const unknown: PriceWords = { text: null, sparkline: '' }

/** What is known of a deal that a message tells of; without a row it isn't there any more. */
export type DealKnown = { id: number; now: Date; row: Row | undefined; may: Leaving; words: PriceWords }

/** What messages tell of these deals, in their order. */
export async function readDealsToTell(deps: ReadDeps, ids: readonly number[]): Promise<DealKnown[]> {
  const { customPlanPool } = deps.databases
  const now = deps.clock()
  const distinct = [...new Set(ids)]
  const rows = await readRows(customPlanPool, distinct, now)
  const leaving = await readLeaving(customPlanPool, distinct)
  const words = await putPricesInWords(deps, distinct)
  return ids.map((id) => ({
    ...{ id, now, row: rows.get(id) },
    ...{ may: leaving.get(id) ?? all, words: words.get(id) ?? unknown },
  }))
}

/**
 * A deal as messages tell of it. Of one that isn't shown here, or isn't there any more, such as a sample, the texts are empty.
 * `affiliateTag` is the destination's.
 */
export function sayDeal(
  { id, now, row, may, words }: DealKnown,
  settings: ShopSettings,
  affiliateTag: string,
): DealSaid {
  if (row === undefined) return { deal: nothingOf(id, now), state: 'gone' }
  const deal = toMessageDeal(row, may, words, { ...settings, affiliateTag })
  if (row.is_gone) return { deal: withoutWords(deal), state: 'gone' }
  return { deal, state: row.is_over ? 'ended' : 'live' }
}

const dealsToTell = prepared(
  'deals to tell',
  `select id, asin, title, price, original_price, discount_percentage, rating, review_count, image_url, product_url,
       prime_eligible, observed_at, ends_at, is_sample, is_blacklisted or hidden_at is not null as is_gone,
       is_over or availability is null or coalesce(ends_at <= $2, false) as is_over
     from deals where id = any($1)`,
)

// A deal that isn't offered any more is over; what people or words hide is gone.
async function readRows(client: pg.Pool, ids: readonly number[], now: Date): Promise<Map<number, Row>> {
  const { rows } = await client.query<Row>({ ...dealsToTell, values: [ids, now] })
  return new Map(rows.map((row) => [row.id, row]))
}

type Shop = ShopSettings & { affiliateTag: string }

function toMessageDeal(row: Row, may: Leaving, words: PriceWords, shop: Shop): MessageDeal {
  const { MARKETPLACE: marketplace, PUBLIC_URL: origin, affiliateTag } = shop
  const isBelow = row.original_price !== null && row.original_price > row.price
  return {
    ...{ id: row.id, asin: row.asin, priceBefore: null },
    title: may.title ? oneLine(row.title) : row.asin,
    pageUrl: origin === '' ? null : new URL(`/deals/${row.asin}`, origin).href,
    // Made from its number, as everywhere: no address that a source states is ever handed on. Samples lead to a search.
    shopUrl: row.is_sample ? row.product_url : productLink(row.asin, marketplace.domain, affiliateTag),
    imageUrl: may.picture ? absolute(row.image_url, origin) : null,
    price: may.price ? money(row.price, marketplace) : null,
    amount: may.price ? row.price : null,
    originalPrice: may.price && isBelow ? money(row.original_price ?? 0, marketplace) : null,
    off: may.price && isBelow ? row.discount_percentage : null,
    verdict: may.price ? words.text : null,
    sparkline: may.price ? blocksOf(words.sparkline) : null,
    rating: ratingText(row.rating, row.review_count),
    isPrime: row.prime_eligible,
    observedAt: row.observed_at,
    endsAt: row.ends_at,
  }
}

const nothingOf = (id: number, now: Date): MessageDeal =>
  withoutWords({ id, asin: '', shopUrl: '', priceBefore: null, observedAt: now })

/** A deal that isn't shown here any more: nothing of it is said. */
function withoutWords(
  deal: Pick<MessageDeal, 'id' | 'asin' | 'shopUrl' | 'priceBefore' | 'observedAt'>,
): MessageDeal {
  return {
    ...deal,
    ...{
      title: '',
      pageUrl: null,
      imageUrl: null,
      price: null,
      amount: null,
      originalPrice: null,
      off: null,
    },
    ...{ verdict: null, sparkline: null, rating: null, isPrime: false, endsAt: null },
  }
}

/** An address that anybody can load; null for one of another form, or of this installation while nobody knows where that is. */
function absolute(address: string | null, origin: string): string | null {
  if (address === null) return null
  const url = URL.parse(address, origin === '' ? undefined : origin)
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null
}
