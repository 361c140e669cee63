import type { DealState, Message, MessageDeal } from '../message.ts'
import { isolated, momentText, oneLine } from '../texts.ts'

/** What mail says of one deal, for both of its forms: texts in one line each, none of them escaped. */
export type DealPart = {
  title: string
  state: DealState
  /** Such as `$12.99, 40 % off ($22.00)`; '' where prices may not leave the site. */
  price: string
  facts: string[]
  imageUrl: string | null
  links: { text: string; url: string }[]
}

/** Everything that a message says, in order. */
export type MailParts = {
  subject: string
  heading: string
  text: string
  deals: DealPart[]
  /** After the deals: the page that shows them all, and how many are not named. */
  links: { text: string; url: string }[]
  /** Why it comes, and how to end that. */
  footer: { text: string; url: string | null }[]
}

export type MailContext = { timeZone: string; now: Date; unsubscribeUrl: string | null }

/** The parts of a message, whatever it is about. */
export function mailParts(message: Message, context: MailContext): MailParts {
  const footer = footerOf(message, context)
  if (message.kind === 'notice')
    return {
      ...{ subject: oneLine(message.title), heading: oneLine(message.title), text: message.text },
      ...{ deals: [], links: [], footer },
    }
  if (message.kind === 'list') {
    const { title, deals, more, pageUrl, disclosure } = message
    const others = more === 0 ? '' : `${more} more ${more === 1 ? 'deal' : 'deals'}`
    const links =
      pageUrl === null ? [] : [{ text: others === '' ? 'See them all' : `See ${others}`, url: pageUrl }]
    return {
      ...{
        subject: oneLine(title),
        heading: oneLine(title),
        text: pageUrl === null && others !== '' ? `And ${others}.` : '',
      },
      deals: deals.map(({ deal, state, searches }) => dealPart(deal, state, searches, disclosure, context)),
      ...{ links, footer },
    }
  }
  const { deal, state, searches, disclosure, isTest } = message
  const part = dealPart(deal, state, searches, disclosure, context)
  const price = part.price === '' ? '' : `${shortPrice(deal)}: `
  const subject = state === 'gone' ? 'A deal is no longer shown' : price + isolated(part.title)
  const before = { live: '', ended: 'Ended: ', gone: '' }[state]
  return {
    ...{ subject: `${isTest ? 'Test: ' : ''}${before}${subject}`, heading: '', text: '' },
    ...{ deals: [part], links: [], footer },
  }
}

function dealPart(
  deal: MessageDeal,
  state: DealState,
  searches: readonly string[],
  disclosure: string,
  { timeZone, now }: MailContext,
): DealPart {
  if (state === 'gone')
    return {
      title: 'A deal that is not shown any more',
      state,
      price: '',
      facts: [],
      imageUrl: null,
      links: [],
    }
  const moment = (time: Date) => momentText(time, now, timeZone)
  const facts = [
    state === 'ended' ? 'This deal has ended.' : null,
    deal.priceBefore && `Told of before at ${deal.priceBefore}.`,
    deal.verdict,
    deal.sparkline && `90 days: ${deal.sparkline}`,
    deal.rating,
    deal.isPrime ? 'Prime' : null,
    `Price seen ${moment(deal.observedAt)}.`,
    deal.endsAt && state === 'live' ? `Ends ${moment(deal.endsAt)}.` : null,
    searches.length === 0 ? null : `Found by ${searches.map((name) => isolated(oneLine(name))).join(', ')}.`,
  ].filter((fact) => typeof fact === 'string' && fact !== '')
  const shop = `At the shop${disclosure === '' ? '' : ` ${oneLine(disclosure)}`}`
  return {
    ...{ title: oneLine(deal.title), state, price: fullPrice(deal), imageUrl: deal.imageUrl },
    facts: facts.map((fact) => oneLine(String(fact))),
    links: [
      ...(deal.pageUrl === null ? [] : [{ text: 'See it here', url: deal.pageUrl }]),
      { text: shop, url: deal.shopUrl },
    ],
  }
}

const shortPrice = ({ price, off }: MessageDeal) => (off === null ? `${price}` : `${price}, ${off} % off`)

function fullPrice(deal: MessageDeal): string {
  if (deal.price === null) return ''
  return shortPrice(deal) + (deal.originalPrice === null ? '' : ` (${deal.originalPrice})`)
}

function footerOf({ settingsUrl }: Message, { unsubscribeUrl }: MailContext): MailParts['footer'] {
  return [
    { text: 'You get this because of an alert in Dealdeck.', url: null },
    ...(settingsUrl === null ? [] : [{ text: 'Change your alerts', url: settingsUrl }]),
    unsubscribeUrl === null
      ? { text: 'To end it, open Dealdeck, and there Alerts: pause or remove this address.', url: null }
      : { text: 'Get no more of these', url: unsubscribeUrl },
  ]
}
