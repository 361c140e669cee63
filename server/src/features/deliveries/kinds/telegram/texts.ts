import {
  type DealTexts,
  dealTexts,
  foundBy,
  goneText,
  moreText,
  plainLines,
  quiet,
  shopText,
  testText,
} from '../deal-texts.ts'
import type { DealState, ListMessage, Message, MessageDeal } from '../message.ts'
import { cutTo, escapeHtml, lines, oneLine } from '../texts.ts'

/** What Telegram takes of a text, in letters that are left once its markup is read. */
const longestText = 4_096

export type TelegramText = { text: string; imageUrl: string | null }
type Marked = { html: string; size: number }
type When = { now: Date; timeZone: string }

/** A text with its markup, and how long it is without. Addresses in it don't count. */
const plain = (text: string): Marked => ({ html: escapeHtml(text), size: text.length })
/** A foreign text outside of a link. Within one Telegram finds no mention, tag, command or address. */
const foreign = (text: string) => plain(quiet(text))
const marked = (tag: 'b' | 's' | 'code', { html, size }: Marked): Marked => ({
  html: `<${tag}>${html}</${tag}>`,
  size,
})
const linked = (text: string, url: string): Marked => ({
  html: `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
  size: text.length,
})

const joined = (parts: readonly (Marked | null | undefined | false)[], between: string): Marked | null => {
  const there = parts.flatMap((part) => part || [])
  if (there.length === 0) return null
  const size = there.reduce((sum, part) => sum + part.size, between.length * (there.length - 1))
  return { html: there.map(({ html }) => html).join(between), size }
}

/** What a message says, in Telegram's HTML. */
export function telegramText(message: Message, when: When): TelegramText {
  switch (message.kind) {
    case 'deal': {
      const rows = message.state === 'gone' ? [plain(goneText)] : dealRows(message, when)
      const whole = joined([message.isTest && plain(testText), ...rows], '\n')
      const imageUrl = message.state === 'gone' ? null : message.deal.imageUrl
      return { text: whole?.html ?? goneText, imageUrl }
    }
    case 'list':
      return { text: listText(message, when), imageUrl: null }
    case 'notice': {
      const text = foreign(cutTo(plainLines(message.text), 3_000))
      const { settingsUrl } = message
      const title = marked('b', foreign(cutTo(oneLine(message.title), 300)))
      const whole = joined(
        [title, text, settingsUrl !== null && linked('Open the settings', settingsUrl)],
        '\n',
      )
      return { text: whole?.html ?? '', imageUrl: null }
    }
  }
}

function dealRows(message: Extract<Message, { kind: 'deal' }>, { now, timeZone }: When) {
  const { deal, state, settingsUrl } = message
  const texts = dealTexts(deal, state, now, timeZone)
  const found = foundBy(message.searches)
  const short = found === null ? '' : cutTo(found, 300)
  return [
    titleOf(texts, state, 1_500),
    state === 'ended' && marked('b', plain('Ended.')),
    priceOf(texts),
    ...[texts.before, texts.verdict].map((text) => text !== null && plain(text)),
    texts.sparkline !== null && marked('code', plain(texts.sparkline)),
    ...[texts.rating, texts.ends, texts.seen].map((text) => text !== null && plain(text)),
    short !== '' && (settingsUrl === null ? foreign(short) : linked(short, settingsUrl)),
    joined([linked(shopText, deal.shopUrl), disclosureOf(message)], ' '),
  ]
}

const disclosureOf = ({ disclosure }: Message) =>
  disclosure !== '' && foreign(cutTo(oneLine(disclosure), 120))

function titleOf({ title, url }: DealTexts, state: DealState, most: number): Marked {
  const link = linked(cutTo(title, most), url)
  return state === 'ended' ? marked('s', link) : marked('b', link)
}

function priceOf({ price, original, off }: DealTexts): Marked | null {
  if (price === null) return null
  const was = original !== null && marked('s', plain(original))
  return joined([marked('b', plain(price)), was, off !== null && plain(off)], ' ')
}

/** As many deals as there is room for, each in a line or two. */
function listText(message: ListMessage, { now, timeZone }: When): string {
  const { deals, pageUrl } = message
  const title = marked('b', foreign(cutTo(oneLine(message.title), 300)))
  const end = (more: number) =>
    joined(
      [
        moreText(more) !== null && plain(moreText(more) ?? ''),
        pageUrl !== null && linked('See all of them', pageUrl),
        disclosureOf(message),
      ],
      '\n',
    )
  let room = longestText - title.size - (end(message.more + deals.length)?.size ?? 0) - 4
  const rows: Marked[] = []
  for (const { deal, state } of deals) {
    const row = rowOf(deal, state, now, timeZone)
    room -= row.size + 1
    if (room < 0) break
    rows.push(row)
  }
  const parts = [title, ...rows, end(message.more + deals.length - rows.length)]
  return lines(...parts.map((part) => part?.html))
}

function rowOf(deal: MessageDeal, state: DealState, now: Date, timeZone: string): Marked {
  if (state === 'gone') return plain(`• ${goneText}`)
  const texts = dealTexts(deal, state, now, timeZone)
  const price = joined([state === 'ended' && plain('Ended.'), priceOf(texts)], ' ')
  const row = joined([joined([plain('•'), titleOf(texts, state, 500)], ' '), price], '\n')
  // The sign before the title makes it a row in any case.
  return row ?? plain('•')
}
