import type { Deal } from '@dealdeck/contract/deals'
import type { FeedKind } from '@dealdeck/contract/searches'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import type { Moment } from '@dealdeck/query/matching'
import type { Condition } from '@dealdeck/query/question'
import type { CancelSignal } from '../../../platform/cancellation.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { money } from '../../../platform/money.ts'
import type { AskDeals } from '../../deals/searching/answers.ts'
import { newsOfPrices } from '../../prices/actions.ts'
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
/** The entries of a feed, the newest first. */
export function listEntries(source: FeedSource): Promise<FeedEntry[]> {
  return source.kind === 'deals' ? listDealEntries(source) : listLowEntries(source)
}

async function listDealEntries(source: FeedSource): Promise<FeedEntry[]> {
  const { ask, marketplace, condition, moment, signal } = source
  const deals = await ask({ condition, moment, sort: 'newest', limit: mostEntries, signal })
  const news = await newsOf(deals, source)
  return deals.map((deal) => {
    const published = new Date(deal.first_seen)
    const priced = new Date(news.get(deal.id)?.changedAt ?? published)
    return {
      ...entryOf(deal, source),
      id: entryId(source, `deal/${deal.id}`),
      title: `${money(deal.price, marketplace)}${off(deal)}: ${deal.title}`,
      published,
      updated: priced > published ? priced : published,
    }
  })
}

/** Each time that a price was lower than all before, of the visible deals that meet the condition and changed last. */
async function listLowEntries(source: FeedSource): Promise<FeedEntry[]> {
  const { ask, marketplace, condition, moment, signal } = source
  const deals = await ask({ condition, moment, sort: 'updated', limit: mostWatched, signal })
  const news = await newsOf(deals, source)
  return deals
    .flatMap((deal) => (news.get(deal.id)?.lows ?? []).map((low) => ({ deal, ...low })))
    .sort((one, other) => other.at - one.at || other.deal.id - one.deal.id)
    .slice(0, mostEntries)
    .map(({ deal, price, before, at }) => {
      const [now, then] = [money(price, marketplace), money(before, marketplace)]
      const seen = new Date(at)
      return {
        ...entryOf(deal, source),
        id: entryId(source, `deal/${deal.id}/low/${seen.toISOString()}`),
        title: `${now}, never lower (before ${then}): ${deal.title}`,
        ...{ published: seen, updated: seen },
      }
    })
}

const newsOf = (deals: readonly Deal[], { databases, moment, signal }: FeedSource) =>
  newsOfPrices(
    databases,
    deals.map(({ id }) => id),
    moment.now,
    signal,
  )

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
