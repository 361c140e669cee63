import type { DealState, Message, MessageDeal } from './message.ts'
import { momentText, oneLine } from './texts.ts'

/** What is said of a deal, in parts that each kind puts together and marks in its own way; none of it is escaped. */
export type DealTexts = {
  title: string
  /** Where a tap on the title leads. */
  url: string
  price: string | null
  /** What it was before by the shop, to be struck through. */
  original: string | null
  /** Such as `35% off`. */
  off: string | null
  /** What the message said before it was changed. */
  before: string | null
  verdict: string | null
  /** Block characters, to be set in a font of one width. */
  sparkline: string | null
  /** What buyers say, and whether it is Prime. */
  rating: string | null
  /** With times in words; a kind that lets each reader see their own says `endsAt` and `observedAt` of the deal. */
  ends: string | null
  seen: string
}

/** In place of whatever isn't shown any more. */
export const goneText = 'This deal is not shown any more.'
export const testText = 'A test: this is how messages look here.'
export const shopText = 'Open at the shop'

export function dealTexts(deal: MessageDeal, state: DealState, now: Date, timeZone: string): DealTexts {
  const { price, originalPrice, off, priceBefore, endsAt } = deal
  const hasEnded = state === 'ended'
  const rating = [deal.rating, deal.isPrime && 'Prime'].filter(Boolean).join(' · ')
  return {
    ...{ title: oneLine(deal.title) || deal.asin, url: deal.pageUrl ?? deal.shopUrl, price },
    original: price === null ? null : originalPrice,
    off: price === null || off === null ? null : `${off}% off`,
    before: price === null || priceBefore === null || hasEnded ? null : `It was ${priceBefore} before.`,
    ...{ verdict: hasEnded ? null : deal.verdict, sparkline: deal.sparkline },
    rating: rating === '' ? null : rating,
    ends: endsAt && !hasEnded ? `Ends ${momentText(endsAt, now, timeZone)}` : null,
    seen: `As of ${momentText(deal.observedAt, now, timeZone)}`,
  }
}

/** Which searches found it, such as `Found by Lamps, Desk`; null where none is known. */
export function foundBy(searches: readonly string[]): string | null {
  const names = searches.map(oneLine).filter((name) => name !== '')
  return names.length === 0 ? null : `Found by ${names.join(', ')}`
}

/** What is said of the deals of a list that are not in it. */
export function moreText(more: number): string | null {
  return more > 0 ? `and ${more.toLocaleString('en')} more` : null
}

/** The text of a notice, line by line, or the title of a list, without anything that reaches beyond it. */
export function plainLines(text: string): string {
  return text.split(/\r?\n/).map(oneLine).join('\n').trim()
}

/**
 * A foreign text of which programs make no mention, tag, command or link: an invisible mark stands behind each sign that begins one,
 * and behind what looks like a host. For services that have no escape for these.
 */
export function quiet(text: string): string {
  return text.replace(/[@#$/<:&.](?=\S)/g, '$&\u2060')
}

/** Where a message leads as a whole; null: nowhere. */
export function pageOf(message: Message): string | null {
  if (message.kind === 'notice') return message.settingsUrl
  if (message.kind === 'list') return message.pageUrl
  return message.state === 'gone' ? null : (message.deal.pageUrl ?? message.deal.shopUrl)
}
