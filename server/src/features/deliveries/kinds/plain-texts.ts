import {
  type DealTexts,
  dealTexts,
  foundBy,
  goneText,
  moreText,
  pageOf,
  plainLines,
  quiet,
  shopText,
  testText,
} from './deal-texts.ts'
import type { DealMessage, DealState, ListMessage, Message, MessageDeal } from './message.ts'
import { cutTo, isolated, lines, type SizeOf } from './texts.ts'

type When = { now: Date; timeZone: string }
export type PlainText = {
  title: string
  body: string
  /** Where a tap leads; null: nowhere. */
  url: string | null
}
/** How much a service takes: of the title in letters, and of the body by `sizeOf`. */
type Room = { title: number; body: number; sizeOf: SizeOf }

/** What a message says to services that know no markup, or nobody knows which. Addresses stand in it where `withLinks` says so. */
export function plainText(message: Message, when: When, room: Room, withLinks: boolean): PlainText {
  const url = pageOf(message)
  const link = withLinks ? url : null
  switch (message.kind) {
    case 'deal': {
      const { title, body } = dealText(message, when, room, withLinks)
      return { title, body: fitted(body, link, room), url }
    }
    case 'list': {
      const title = cutTo(quiet(plainLines(message.title)), room.title)
      return { title, body: listText(message, when, room, link), url }
    }
    case 'notice': {
      const body = quiet(plainLines(message.text))
      return {
        title: cutTo(quiet(plainLines(message.title)), room.title),
        body: fitted(body, link, room),
        url,
      }
    }
  }
}

/** A text with an address below it, which is never cut. */
function fitted(body: string, link: string | null, { body: most, sizeOf }: Room): string {
  const end = link === null ? '' : `\n${link}`
  return cutTo(body, most - sizeOf(end), sizeOf) + end
}

function dealText(message: DealMessage, { now, timeZone }: When, room: Room, withLinks: boolean) {
  const { deal, state, isTest, disclosure } = message
  if (state === 'gone') return { title: goneText, body: lines(isTest && testText, goneText) }
  const texts = dealTexts(deal, state, now, timeZone)
  const whole = quiet(texts.title)
  const title = cutTo(`${changedTo(message, texts)}${whole}`, room.title)
  const shop = withLinks && deal.pageUrl !== null && `${shopText}: ${deal.shopUrl}`
  const found = foundBy(message.searches)
  const body = lines(
    isTest && testText,
    // What is too long for a title stands below it, but leaves room for the rest.
    !title.endsWith(whole) && cutTo(whole, Math.floor(room.body * 0.7), room.sizeOf),
    state === 'ended' && 'Ended.',
    priceLine(texts),
    ...[texts.before, texts.verdict, texts.sparkline, texts.rating, texts.ends, texts.seen],
    found !== null && cutTo(quiet(found), 200),
    shop,
    quiet(plainLines(disclosure)),
  )
  return { title, body }
}

/** What has become of a deal, before the title that stays the same; '' of one that is told of by a new message. */
function changedTo({ state, isSilent }: DealMessage, { price, before }: DealTexts): string {
  if (state === 'ended') return 'Ended: '
  return isSilent && price !== null && before !== null ? `Now ${price}: ` : ''
}

function priceLine({ price, original, off }: DealTexts): string | null {
  if (price === null) return null
  return [price, original !== null && `instead of ${original}`, off !== null && `(${off})`]
    .filter(Boolean)
    .join(' ')
}

/** As many deals as there is room for; what has ended is said to have. */
function listText(message: ListMessage, time: When, room: Room, link: string | null): string {
  const { deals } = message
  const end = (left: number) =>
    lines(moreText(message.more + left), quiet(plainLines(message.disclosure)), link)
  let left = room.body - room.sizeOf(end(deals.length)) - 8
  const rows: string[] = []
  for (const { deal, state } of deals) {
    const row = rowOf(deal, state, time)
    left -= room.sizeOf(row) + 1
    if (left < 0) break
    rows.push(row)
  }
  return lines(...rows, end(deals.length - rows.length))
}

function rowOf(deal: MessageDeal, state: DealState, time: When): string {
  if (state === 'gone') return `• ${goneText}`
  const texts = dealTexts(deal, state, time.now, time.timeZone)
  const price = priceLine(texts)
  const name = isolated(cutTo(quiet(texts.title), 120))
  return `• ${[state === 'ended' && 'Ended:', name, price !== null && `– ${price}`].filter(Boolean).join(' ')}`
}
