import type { Deal } from '@dealdeck/contract/deals'
import type { FeedKind } from '@dealdeck/contract/searches'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import type { Moment } from '@dealdeck/query/matching'
import type { Condition } from '@dealdeck/query/question'
import type { CancelSignal } from '../../../platform/cancellation.ts'
import { abortableQuery } from '../../../platform/database/abortable-query.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { money } from '../../../platform/money.ts'
import type { AskDeals } from '../../deals/searching/answers.ts'
import { dealHtml } from './html.ts'

/** What every format says of an entry. */
export type FeedEntry = {
  /** Never another one for the same thing, whatever changes of it. */
  id: string
  title: string
  url: string
  html: string
  published: Date
  /** Later only where something changed that matters to somebody who has read it: the price. */
  updated: Date
  tags: string[]
}

/** What entries are made for. */
export type FeedSource = {
  databases: Databases
  ask: AskDeals
  marketplace: Marketplace
  /** Where this installation is reached, such as `https://deals.example.org`. */
  origin: string
  kind: FeedKind
  /** Of the search; entries are named by it. */
  uid: string
  condition: Condition | null
  moment: Moment
  signal: CancelSignal
}

/** Entries of a feed at most. */
const mostEntries = 100
/** So many of the deals that changed last are looked at for prices that are lower than ever. */
const mostWatched = 200
/** Of a deal's observed prices the newest so many count. */
const mostPoints = 1_000
/** Whether somebody was asked for a point's price: it is no gap, and nobody says that it is wrong. */
const isAsked = 'price is not null and not is_wrong'

/** The entries of a feed, the newest first. */
export function listEntries(source: FeedSource): Promise<FeedEntry[]> {
  return source.kind === 'deals' ? listDealEntries(source) : listLowEntries(source)
}

async function listDealEntries(source: FeedSource): Promise<FeedEntry[]> {
  const { databases, ask, marketplace, condition, moment, signal } = source
  const deals = await ask({ condition, moment, sort: 'newest', limit: mostEntries, signal })
  const ids = deals.map(({ id }) => id)
  const text = `select id, (select max(seen_at) from price_points where deal_id = id and ${isAsked}) as at from unnest($1::bigint[]) as id`
  const { rows } = await abortableQuery<{ id: number; at: Date | null }>(
    databases.customPlanPool,
    { text, values: [ids] },
    signal,
  )
  const pricedAt = new Map(rows.map(({ id, at }) => [id, at]))
  return deals.map((deal) => {
    const published = new Date(deal.first_seen)
    const priced = pricedAt.get(deal.id) ?? published
    return {
      ...entryOf(deal, source),
      id: entryId(source, `deal/${deal.id}`),
      title: `${money(deal.price, marketplace)}${off(deal)}: ${deal.title}`,
      published,
      updated: priced > published ? priced : published,
    }
  })
}

type Low = { deal_id: number; price: number; before: number; seen_at: Date }

/** Each time that a price was lower than all before, of the visible deals that meet the condition and changed last. */
async function listLowEntries(source: FeedSource): Promise<FeedEntry[]> {
  const { databases, ask, marketplace, condition, moment, signal } = source
  const deals = await ask({ condition, moment, sort: 'updated', limit: mostWatched, signal })
  const byId = new Map(deals.map((deal) => [deal.id, deal]))
  const text = `select deal_id, price, before, seen_at from (
      select asked.id as deal_id, point.price, point.seen_at,
        min(point.price) over (partition by asked.id order by point.seen_at rows between unbounded preceding and 1 preceding) as before
      from unnest($1::bigint[]) as asked (id) cross join lateral (
        select price, seen_at from price_points where deal_id = asked.id and ${isAsked} order by seen_at desc limit ${mostPoints}
      ) as point
    ) as points where price < before order by seen_at desc, deal_id desc limit ${mostEntries}`
  const { rows } = await abortableQuery<Low>(
    databases.customPlanPool,
    { text, values: [[...byId.keys()]] },
    signal,
  )
  return rows.flatMap(({ deal_id, price, before, seen_at }) => {
    const deal = byId.get(deal_id)
    if (!deal) return []
    const [now, then] = [money(price, marketplace), money(before, marketplace)]
    return [
      {
        ...entryOf(deal, source),
        id: entryId(source, `deal/${deal_id}/low/${seen_at.toISOString()}`),
        title: `${now}, never lower (before ${then}): ${deal.title}`,
        ...{ published: seen_at, updated: seen_at },
      },
    ]
  })
}

/** A tag as RFC 4151 has it. It names neither host nor address, which may become others. */
const entryId = ({ uid }: FeedSource, path: string) => `tag:dealdeck,2026:${uid}/${path}`

const off = ({ discount_percentage: percent }: Deal) => (percent === null ? '' : `, ${percent} % off`)

function entryOf(deal: Deal, { marketplace, origin }: FeedSource): Pick<FeedEntry, 'url' | 'html' | 'tags'> {
  const url = new URL(deal.product_url, origin).href
  const image = deal.image_url === null ? null : new URL(deal.image_url, origin).href
  return {
    url,
    html: dealHtml(deal, { url, image, marketplace }),
    tags: [deal.brand, ...(deal.category?.split(' > ') ?? [])].filter((tag) => tag !== null),
  }
}
