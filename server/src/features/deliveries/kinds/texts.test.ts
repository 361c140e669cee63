import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf, cutTo, escapeHtml, isolated, lines, momentText, oneLine, unitsOf } from './texts.ts'

test('a foreign text becomes one line that reaches no further than itself', () => {
  expect(oneLine(' Lamp\r\n\t with\u0000 \u202eevil\u2066 \ud800half\u2028 ')).toBe(
    'Lamp with evil \ufffdhalf',
  )
  expect(oneLine('👩‍👩‍👧 \u200fשלום')).toBe('👩‍👩‍👧 \u200fשלום')
  expect(isolated('Lamp 👩‍👧')).toBe('Lamp 👩‍👧')
  expect(isolated('מנורה')).toBe('\u2068מנורה\u2069')
})

test('a text is cut between letters as people see them', () => {
  expect(cutTo('whole', 5)).toBe('whole')
  expect(cutTo('Lamp of brass', 6)).toBe('Lamp…')
  expect(cutTo('a👩‍👩‍👧b', 9)).toBe('a…')
  expect(cutTo('a👩‍👩‍👧bcd', 10)).toBe('a👩‍👩‍👧…')
  expect(cutTo('äöü', 5, bytesOf)).toBe('ä…')
  expect(cutTo(`e${'\u0301'.repeat(50)}`, 10)).toBe(`e${'\u0301'.repeat(8)}…`)
  expect(cutTo('abc', 1)).toBe('…')
  expect(cutTo('abc', 2, bytesOf)).toBe('')
})

test('whatever is cut keeps to its limit and is a beginning of what it was', () => {
  const most = fc.integer({ min: 3, max: 60 })
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), most, (text, limit) => {
      for (const sizeOf of [unitsOf, bytesOf]) {
        const cut = cutTo(text, limit, sizeOf)
        expect(sizeOf(cut)).toBeLessThanOrEqual(limit)
        expect(cut.isWellFormed()).toBe(true)
        expect(cut === text || text.startsWith(cut.slice(0, -1))).toBe(true)
      }
    }),
  )
})

test('marks of HTML are none any more', () => {
  expect(escapeHtml(`<b onclick="a('b')">&amp;`)).toBe(
    '&#60;b onclick=&#34;a(&#39;b&#39;)&#34;&#62;&#38;amp;',
  )
})

test('lines that say nothing are left out', () => {
  expect(lines('one', null, '', undefined, false, 'two')).toBe('one\ntwo')
})

test('moments are said in a time zone', () => {
  const now = new Date('2026-05-04T20:30:00Z')
  const text = (time: string, zone = 'Europe/Berlin') => momentText(new Date(time), now, zone)
  expect(text('2026-05-04T21:15:00Z')).toBe('today 23:15')
  expect(text('2026-05-04T22:15:00Z')).toBe('tomorrow 00:15')
  expect(text('2026-05-04T22:15:00Z', 'America/New_York')).toBe('today 18:15')
  expect(text('2026-05-03T07:05:00Z')).toBe('yesterday 09:05')
  expect(text('2026-05-09T07:05:00Z')).toBe('9 May, 09:05')
})

test('a moment is told by UTC where nobody knows the zone any more', () => {
  const now = new Date('2026-05-04T12:00:00Z')
  expect(momentText(now, now, 'Nowhere/Else')).toBe('today 12:00')
})
