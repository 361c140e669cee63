import { createHash } from 'node:crypto'
import type { DealState, Message, MessageDeal } from '../message.ts'
import { cutTo, oneLine } from '../texts.ts'

/** So many bytes an event has at most; receivers of Standard Webhooks expect less than 20 kB. */
const mostBytes = 19_500
const longestTitle = 1_000

type EventType =
  | 'deal.matched'
  | 'deal.updated'
  | 'deal.ended'
  | 'deals.digest'
  | 'destination.notice'
  | 'test'

/** What is told, before it is signed. `id` is the same however often it is sent, and another one for each change of a message. */
export type WebhookEvent = { id: string; body: string }

/** An event as receivers get it. `isEdit` says that it is about a deal that they were told of. */
export function eventOf(message: Message, isEdit: boolean, now: Date): WebhookEvent {
  const data = dataOf(message)
  // What is told of a change is another message, while the same change that is sent again is the same one.
  const change = isEdit
    ? `-${createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 16)}`
    : ''
  const type = typeOf(message, isEdit)
  return { id: message.uid + change, body: JSON.stringify({ type, timestamp: now.toISOString(), data }) }
}

function typeOf(message: Message, isEdit: boolean): EventType {
  if (message.kind === 'notice') return 'destination.notice'
  if (message.kind === 'list') return 'deals.digest'
  if (message.isTest) return 'test'
  if (message.state !== 'live') return 'deal.ended'
  return isEdit ? 'deal.updated' : 'deal.matched'
}

function dataOf(message: Message): object {
  const { uid, disclosure } = message
  if (message.kind === 'notice') return { message_id: uid, title: message.title, text: message.text }
  if (message.kind === 'list') return listOf(message)
  const { deal, state, searches, isUrgent } = message
  return { message_id: uid, ...dealOf(deal, state, searches), is_urgent: isUrgent, disclosure }
}

/** As many deals as there is room for; `more` counts the others. */
function listOf(message: Extract<Message, { kind: 'list' }>): object {
  const { uid, title, isDigest, pageUrl, disclosure } = message
  const deals = message.deals.map(({ deal, state, searches }) => dealOf(deal, state, searches))
  for (;;) {
    const more = message.more + message.deals.length - deals.length
    const data = { message_id: uid, title, is_digest: isDigest, url: pageUrl, disclosure, deals, more }
    if (deals.length === 0 || Buffer.byteLength(JSON.stringify(data)) <= mostBytes) return data
    deals.pop()
  }
}

/** The fields are those of the API's deals, where it has them. */
function dealOf(deal: MessageDeal, state: DealState, searches: readonly string[]): object {
  const { id, asin } = deal
  if (state === 'gone') return { id, state }
  return {
    ...{ id, asin, state, title: cutTo(oneLine(deal.title), longestTitle) },
    ...{ price: deal.amount, price_text: deal.price, price_before_text: deal.priceBefore },
    ...{ original_price_text: deal.originalPrice, discount_percentage: deal.off },
    ...{ verdict_text: deal.verdict, rating_text: deal.rating, prime_eligible: deal.isPrime },
    ...{ url: deal.pageUrl, shop_url: deal.shopUrl, image_url: deal.imageUrl },
    ...{ observed_at: deal.observedAt.toISOString(), ends_at: deal.endsAt?.toISOString() ?? null },
    searches: searches.slice(0, 20),
  }
}
