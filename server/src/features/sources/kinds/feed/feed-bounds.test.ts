import { expect, test } from 'vitest'
import { isBeyondAnyFeed, isBeyondAnyJsonFeed } from './feed-bounds.ts'

const channel = '<rss version="2.0"><channel>'
const entry = '<item><title><![CDATA[5 < 6 <b>]]></title><!-- <a <b --><link a="1" b="2"/></item>'

test.each([
  ['a feed', `${channel}${entry}</channel></rss>`],
  ['a large one', `${channel}${entry.repeat(20_000)}</channel></rss>`],
  ['literal text of a megabyte', `${channel}<![CDATA[${'<'.repeat(1_000_000)}]]>`],
  ['a feed that is broken off in a tag', `${channel}${entry}<item`],
  [
    'tags without an attribute among them',
    `${channel}${'<i>'.repeat(10)}${'x'.repeat(1_000_000)}${'<br/>'.repeat(300_000)}`,
  ],
  ['much of HTML', `${channel}<item>${'<b>&lt;b&gt;Tea &amp;amp; mugs</b>'.repeat(60_000)}</item>`],
  ['no XML at all', 'a = b'],
])('%s is within bounds', (_, xml) => {
  expect(isBeyondAnyFeed(xml)).toBe(false)
})

test.each([
  ['a tag of thousands of attributes', `${channel}<item ${'a=""\n'.repeat(5_000)}></item>`],
  ['the same without an end', `${channel}<item ${'a=""\n'.repeat(5_000)}`],
  ['many tags of many attributes', `${channel}${`<item ${'a="" '.repeat(1_000)}/>`.repeat(500)}`],
  ['tags in tags', `${channel}${'<a>'.repeat(100)}`],
  ['tags without end', `${channel}${'<item '.repeat(500_000)}`],
  ['nothing but references', `${channel}<item><title>${'&amp;'.repeat(400_000)}</title></item>`],
  ['nothing but tags', `${channel}${'<item/>'.repeat(500_000)}`],
])('%s is beyond them', (_, xml) => {
  expect(isBeyondAnyFeed(xml)).toBe(true)
})

test('a JSON feed is bounded by what holds it together', () => {
  const item = '{"id":"1","title":"Lantern","content_html":"<p style=\\"a: b\\">One, two</p>"},'
  expect(isBeyondAnyJsonFeed(`{"items":[${item.repeat(100_000)}{}]}`)).toBe(false)
  expect(isBeyondAnyJsonFeed(`{"items":[${'{},'.repeat(800_000)}{}]}`)).toBe(true)
  expect(isBeyondAnyJsonFeed(`{"items":[{${'"a":1,'.repeat(800_000)}"b":1}]}`)).toBe(true)
})
