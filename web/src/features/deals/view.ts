import type { Deal, DealPage, DealsEvent } from '@dealdeck/contract/deals'
import { defaultQuestion, newestQuestion } from '@dealdeck/contract/preloads'
import type { FeedLayout } from '../../platform/preferences.ts'

/** How many deals one page adds, and the most that one request may bring when a place in the list is restored. */
export const pageSize = defaultQuestion.limit
export const largestPage = 1000

/** How many deals Home shows. */
export const newestCount = newestQuestion.limit

/** An event of the stream as the contract's schema has it, or undefined. A test holds it to that schema. */
export function readDealsEvent(data: unknown): DealsEvent | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const [revision, added, changed, removed] = ['revision', 'added', 'changed', 'removed'].map(
    (name): unknown => Reflect.get(data, name),
  )
  const isRead = isNumber(revision) && isIds(added) && isIds(changed) && isIds(removed)
  return isRead ? { revision, added, changed, removed } : undefined
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isIds = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber)

/** The deals of all pages, each once, in the order they came. */
export function mergePages(pages: readonly { items: readonly Deal[] }[]): Deal[] {
  const byId = new Map<number, Deal>()
  for (const page of pages) for (const deal of page.items) if (!byId.has(deal.id)) byId.set(deal.id, deal)
  return [...byId.values()]
}

/** A removed deal that still has its place on the screen: it has no availability any more. */
export function isGone(deal: Deal): boolean {
  return deal.availability === null
}

/**
 * Pages without some removed deals. The first `kept` deals stay where they are and are only marked,
 * since the reader looks at them or has scrolled past them; those further down leave unseen.
 */
export function removeFromPages<Page extends DealPage>(
  pages: readonly Page[],
  removed: ReadonlySet<number>,
  kept: number,
): Page[] {
  let index = 0
  return pages.map((page) => {
    const first = index
    index += page.items.length
    if (!page.items.some((deal) => removed.has(deal.id))) return page
    const items = page.items.flatMap((deal, offset) => {
      if (!removed.has(deal.id)) return [deal]
      return first + offset < kept ? [{ ...deal, availability: null }] : []
    })
    return { ...page, items }
  })
}

/** Pages with some deals replaced by what the server says of them now. Untouched pages stay the same objects. */
export function updatePages<Page extends DealPage>(
  pages: readonly Page[],
  updated: ReadonlyMap<number, Deal>,
): Page[] {
  return pages.map((page) =>
    page.items.some((deal) => updated.has(deal.id))
      ? { ...page, items: page.items.map((deal) => updated.get(deal.id) ?? deal) }
      : page,
  )
}

/** A deal's address when it leads to the marketplace over http(s), otherwise undefined. `domain` without www. */
export function dealAddress(productUrl: string, domain: string): string | undefined {
  if (!URL.canParse(productUrl)) return undefined
  const url = new URL(productUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  return url.hostname === domain || url.hostname.endsWith(`.${domain}`) ? url.href : undefined
}

type ListState = {
  hasNextPage: boolean
  isFetching: boolean
  isFetchNextPageError: boolean
  isFetchingNextPage: boolean
}

/** What stands below the last deal of a list. */
export function endState(list: ListState): 'more' | 'loading' | 'failed' | 'end' | 'waiting' {
  if (list.isFetchingNextPage) return 'loading'
  if (!list.hasNextPage) return 'end'
  if (list.isFetchNextPageError) return 'failed'
  // Asking for more now would cancel the refresh that is under way.
  return list.isFetching ? 'waiting' : 'more'
}

/** The line below the last deal. */
export function closingLine(count: number, number: (value: number) => string): string {
  if (count === 0) return 'There are no more deals'
  return count === 1 ? 'You have seen the only deal' : `You have seen all ${number(count)} deals`
}

/** The measures of the feed in pixels. */
export type FeedShape = { columns: number; cardWidth: number; cardHeight: number; gap: number }

/** Height of a card below its square picture, in units of the root's font size, so that larger letters fit as well. */
const [cardBody, narrowBody] = [10.75, 11.75]
/** So wide is a card whose verdict may need two lines, in the same units; the style sheet has it too, without borders. */
const narrowCard = 13.9
/** Heights of a line of the list where it fits beside its picture, and of one that takes some on a phone. */
const [wideLine, narrowLine] = [3.0625, 5.25]

/** From this width on, in units of the root's font size, a deal of the list is one line; the style sheet has it too. */
const wideFrom = 40

/** Narrower than this, as with large text on a phone, half a price would be cut off in two columns. In units of the root's font size. */
const twoFrom = 17

/**
 * The shape for a width: cards in two columns on a phone and up to eight on a wall, or lines one under the other.
 * `rem` is the root's font size in pixels.
 */
export function feedShape(layout: FeedLayout, width: number, rem: number): FeedShape {
  if (layout === 'list') {
    const line = width < wideFrom * rem ? narrowLine : wideLine
    return { columns: 1, cardWidth: width, cardHeight: Math.round(line * rem), gap: 0 }
  }
  const gap = width < 600 ? 8 : 16
  const fewest = width < twoFrom * rem ? 1 : 2
  const columns = Math.min(8, Math.max(fewest, Math.floor((width + gap) / (14 * rem + gap))))
  const cardWidth = Math.max(0, (width - gap * (columns - 1)) / columns)
  const body = cardWidth < narrowCard * rem ? narrowBody : cardBody
  return { columns, cardWidth, cardHeight: Math.round(cardWidth + body * rem), gap }
}

/** Where a list begins on the page, in pixels, and how its deals lie there. */
export type FeedArea = { top: number; columns: number; rowHeight: number }

/**
 * Where to scroll to, so that the first deal wholly below `edge` (pixels from the window's top) stays where it is on the
 * screen when the list takes another shape. `scrolled` is the window's place before.
 */
export function keepInSight(before: FeedArea, after: FeedArea, scrolled: number, edge: number): number {
  const above = scrolled + edge - before.top
  // The list's beginning is on the screen: whoever reads it has lost nothing.
  if (above <= 0) return scrolled
  const row = Math.ceil(above / before.rowHeight)
  const onScreen = before.top + row * before.rowHeight - scrolled
  const rowAfter = Math.floor((row * before.columns) / after.columns)
  return Math.max(0, Math.round(after.top + rowAfter * after.rowHeight - onScreen))
}
