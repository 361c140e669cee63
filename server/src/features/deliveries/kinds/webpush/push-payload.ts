import type { Message, MessageDeal } from '../message.ts'
import { bytesOf, cutTo, isolated, lines, momentText, oneLine } from '../texts.ts'

/**
 * What fits of it: 4,096 bytes are what push services take at least, encrypted, and 103 of them are the header, the key, the padding's end
 * and the tag (RFC 8291).
 */
const mostBytes = 4_096 - 103
const longestTitle = 200

type Notification = {
  title: string
  body: string
  /** Where a tap leads; without PUBLIC_URL a path, which browsers read from our page. */
  navigate: string
  /** What replaces the former notification of the same deal. */
  tag: string
  silent: boolean
  image?: string
  timestamp?: number
}

export type PushOptions = { timeZone: string; now: Date; isEdit: boolean; isShort: boolean }

/**
 * A message as a declarative push, which some browsers show by themselves; ours is read the same way by the service worker elsewhere.
 * Fits into one push whatever it says; `isShort` leaves out what can be left out.
 */
export function pushPayload(message: Message, tag: string, options: PushOptions): string {
  const { image, ...whole } = notificationOf(message, tag, options)
  const write = (notification: Notification) => JSON.stringify({ web_push: 8030, notification })
  const withImage = image !== undefined && !options.isShort ? write({ ...whole, image }) : ''
  if (withImage !== '' && bytesOf(withImage) <= mostBytes) return withImage
  const most = options.isShort ? 600 : mostBytes
  for (let length = bytesOf(whole.body); ; length = Math.floor(length * 0.8)) {
    const text = write({ ...whole, body: cutTo(whole.body, length, bytesOf) })
    if (bytesOf(text) <= most || length < 20) return text
  }
}

function notificationOf(message: Message, tag: string, options: PushOptions): Notification {
  const silent = message.isSilent || options.isEdit
  const title = (text: string) => cutTo(oneLine(text), longestTitle, bytesOf)
  if (message.kind === 'notice')
    return {
      title: title(message.title),
      body: message.text,
      navigate: message.settingsUrl ?? '/',
      tag,
      silent,
    }
  if (message.kind === 'list') {
    const named = message.deals.flatMap(({ deal, state }) =>
      state === 'live' ? lines(`${priceOf(deal)} ${isolated(oneLine(deal.title))}`.trim()) : [],
    )
    return {
      ...{ title: title(message.title), body: named.join('\n') },
      navigate: message.pageUrl ?? '/',
      tag,
      silent,
    }
  }
  const { deal, state } = message
  const navigate = deal.pageUrl ?? `/deals/${encodeURIComponent(deal.asin)}`
  if (state === 'gone')
    return { title: 'No longer shown', body: 'This deal is not shown any more.', navigate: '/', tag, silent }
  return {
    title: title(headline(message)),
    body: bodyOf(message, options),
    ...{ navigate, tag, silent, timestamp: deal.observedAt.getTime() },
    ...(deal.imageUrl !== null && state === 'live' && { image: deal.imageUrl }),
  }
}

type DealMessage = Extract<Message, { kind: 'deal' }>

function headline({ deal, state, isTest }: DealMessage): string {
  const price = priceOf(deal)
  const before = deal.priceBefore === null ? '' : `, was ${deal.priceBefore}`
  const what = price === '' ? 'A deal' : `${price}${before}`
  if (isTest) return `Test: ${what}`
  return state === 'ended' ? `Ended: ${what}` : what
}

function bodyOf({ deal, state, searches, disclosure }: DealMessage, { timeZone, now }: PushOptions): string {
  const ends =
    deal.endsAt !== null && state === 'live' ? `Ends ${momentText(deal.endsAt, now, timeZone)}` : null
  const found = searches.length === 0 ? null : `Found by ${searches.map(oneLine).join(', ')}`
  const texts = [state === 'live' ? (deal.verdict ?? '') : '', ends ?? '', found ?? '', disclosure]
  return lines(isolated(oneLine(deal.title)), ...texts.map(oneLine))
}

function priceOf({ price, off }: MessageDeal): string {
  if (price === null) return ''
  return off === null ? price : `${price}, ${off} % off`
}
