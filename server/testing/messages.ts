import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import type { KindDeps } from '../src/features/deliveries/kinds/destination-kind.ts'
import type {
  DealMessage,
  ListMessage,
  Message,
  MessageDeal,
} from '../src/features/deliveries/kinds/message.ts'
import { makeSafeFetch } from '../src/platform/outgoing/make-safe-fetch.ts'
import { SecretBox } from '../src/platform/secret-box.ts'
import { readSettings } from '../src/platform/settings.ts'

export const messageNow = new Date('2026-05-04T12:00:00Z')
const uid = '0f5c2f0e-3a8e-4c55-9d0f-0a1b2c3d4e5f'

/** A deal as messages have it; `at` tells several apart. */
export function messageDeal(given: Partial<MessageDeal> = {}, at = 1): MessageDeal {
  const asin = `B0${String(at).padStart(8, '0')}`
  return {
    ...{ id: at, asin, title: `Folding lantern ${at}`, pageUrl: `https://deals.example/deals/${at}` },
    ...{ shopUrl: `https://www.amazon.com/dp/${asin}`, imageUrl: `https://img.example/${at}.jpg` },
    ...{ price: '$12.99', amount: 12.99, originalPrice: '$20.00', off: 35, priceBefore: null },
    ...{ verdict: 'The lowest price of 90 days.', sparkline: '▅▅▃▁', rating: '4.6 of 5, 1,203 reviews' },
    ...{ isPrime: true, observedAt: new Date('2026-05-04T11:30:00Z'), endsAt: null, ...given },
  }
}

const common = {
  ...{
    uid,
    searches: ['Lamps'],
    disclosure: '',
    settingsUrl: 'https://deals.example/alerts',
    isSilent: false,
  },
}

export function dealMessage(given: Partial<DealMessage> = {}): DealMessage {
  const deal = { kind: 'deal', state: 'live', deal: messageDeal(), isTest: false, isUrgent: false } as const
  return { ...common, ...deal, ...given }
}

/** A list of deals with these titles. */
export function listMessage(titles: readonly string[], given: Partial<ListMessage> = {}): ListMessage {
  const deals = titles.map((title, at) => ({
    ...{ deal: messageDeal({ title }, at + 1), state: 'live' as const, searches: ['Lamps'] },
  }))
  const list = { kind: 'list', title: 'Deals of the night', deals, more: 0, isDigest: false } as const
  return { ...common, ...list, pageUrl: 'https://deals.example/?q=lamp', ...given }
}

export const noticeMessage: Message = {
  ...{ ...common, kind: 'notice', title: 'Lamps: nothing arrives any more' },
  text: 'The webhook is not there any more.\nMake a new one.',
}

/** What kinds need, without a database unless one is given. Addresses of this machine are reached by the group. */
export function kindDeps(given: Partial<KindDeps> = {}, settings: Record<string, string> = {}): KindDeps {
  const read = readSettings({ SECRET_KEY: randomBytes(32).toString('base64'), ...settings })
  return {
    settings: given.settings ?? read,
    clock: given.clock ?? (() => messageNow),
    fetch: given.fetch ?? makeSafeFetch({ allow: ['127.0.0.1/32'] }),
    secretBox: given.secretBox ?? new SecretBox(read),
    get databases() {
      if (!given.databases) throw new Error('This test has no database')
      return given.databases
    },
  }
}

/** A destination of the group, and what it is sent with. */
export const targetOf = (secrets: Record<string, string> = {}) => ({ id: 1, secrets, isGroup: true })
export const sendContext = () => ({ timeZone: 'Europe/Berlin', signal: new AbortController().signal })

/** Titles that mean harm, or are hard to cut. */
export const hostileTitles = [
  '@everyone @here <@&104200000000000001> <@1042> <#1042> <t:0:R> <:a:1042> :smile:',
  '**bold** __u__ ~~s~~ `code` ||spoiler|| [link](https://evil.example) # head\n> quote\n- item',
  'https://evil.example/a?b=c&d=e www.evil.example evil@example.com tg://user?id=1 discord.gg/abc',
  '<b>bold</b> </a><script>alert(1)</script> &lt;b&gt; &amp; "quoted" \'single\'',
  '/start@bot /stop #tag $USD @username +1234567890',
  '\u202eevil\u202c \u2066isolated \u200fמנורה للإضاءة\u2069 1. 2) - + * \\ \\\\',
  `${'👩‍👩‍👧‍👦'.repeat(40)}e${'\u0301'.repeat(120)}`,
  `${'long title of a lamp '.repeat(24)}END`,
  '\\'.repeat(500),
  '<'.repeat(500),
  '- list item',
  '1. numbered',
  '\ud800 broken \u0000\u0007\u001b[31m',
]

/** Any title at all, with the signs of every markup among its letters. */
export const anyTitle = fc.oneof(
  fc.constantFrom(...hostileTitles),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 500 }),
  fc
    .array(fc.constantFrom(...'<>&@#*_~`|[]()\\:/.!-+$1a \n"\u202e\u2067م👩‍👧'), {
      minLength: 1,
      maxLength: 500,
    })
    .map((signs) => signs.join('')),
)
