import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  anyTitle,
  dealMessage,
  hostileTitles,
  listMessage,
  messageDeal,
  messageNow,
} from '../../../../testing/messages.ts'
import type { Message } from './message.ts'
import { plainText } from './plain-texts.ts'
import { bytesOf, oneLine, unitsOf } from './texts.ts'

const when = { now: messageNow, timeZone: 'Europe/Berlin' }
const rooms = [
  { title: 200, body: 3_000, sizeOf: bytesOf },
  { title: 200, body: 1_800, sizeOf: unitsOf },
]
/** What programs make a mention, tag, command, link or channel of. */
const clickable = /[@#$/<:](?=[\p{L}\p{N}@&#!/])/u
/** Less the addresses and times that are ours. */
const foreign = (text: string) =>
  text.replaceAll(/https:\/\/(deals|www\.amazon)\.\S+|\$\d+\.\d+|\d\d:\d\d|shop: /g, '')

function read(message: Message) {
  return rooms.flatMap((room) =>
    [true, false].map((withLinks) => {
      const text = plainText(message, when, room, withLinks)
      expect(text.title.length).toBeLessThanOrEqual(room.title)
      expect(room.sizeOf(text.body)).toBeLessThanOrEqual(room.body)
      expect(foreign(`${text.title}\n${text.body}`)).not.toMatch(clickable)
      return text
    }),
  )
}

test('any title is whole, in the title or below it, and becomes no mention or link', () => {
  fc.assert(
    fc.property(anyTitle, (title) => {
      const deal = messageDeal({ title })
      const plain = oneLine(title) || deal.asin
      for (const text of read(dealMessage({ deal, searches: [title], disclosure: title.slice(0, 120) }))) {
        const [first = ''] = text.body.split('\n')
        const [inTitle, below] = [text.title, first].map((each) => each.replaceAll('\u2060', ''))
        // One that is heaped with marks may still be too long for either.
        const isCut =
          below?.endsWith('…') && plain.replaceAll('\u2060', '').startsWith(below.slice(0, -1).trimEnd())
        expect(isCut || [inTitle, below].includes(plain.replaceAll('\u2060', ''))).toBe(true)
      }
    }),
  )
})

test.each([1, 12, 90])('a list of %i hostile titles has its place, and the rest is counted', (count) => {
  const titles = Array.from({ length: count }, (_, at) => hostileTitles[at % hostileTitles.length] ?? '')
  for (const title of hostileTitles)
    for (const { body } of read(listMessage(titles, { title, disclosure: title.slice(0, 120) }))) {
      const rows = body.match(/^•/gmu)?.length ?? 0
      expect(rows).toBeGreaterThan(0)
      expect(/and (\d+) more/.exec(body)?.[1] ?? '0').toBe(String(count - rows))
    }
})

test('what has ended or is gone is said in a list', () => {
  const list = listMessage(['One', 'Two', 'Three'])
  const states = ['live', 'ended', 'gone'] as const
  const deals = list.deals.map((row, at) => ({ ...row, state: states[at] ?? 'live' }))
  expect(read({ ...list, deals })[0]?.body).toBe(
    [
      '• One – $12.99 instead of $20.00 (35% off)',
      '• Ended: Two – $12.99 instead of $20.00 (35% off)',
      '• This deal is not shown any more.',
      'https://deals.example/?q=lamp',
    ].join('\n'),
  )
})
