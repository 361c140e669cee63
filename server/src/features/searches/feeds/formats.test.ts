import { parseFeed } from '@rowanmanning/feed-parser'
import { parseJsonFeed } from 'feedsmith'
import { expect, test } from 'vitest'
import { formats } from './formats.ts'

const time = new Date('2026-03-04T05:06:07.000Z')
const entry = (title: string) => ({
  ...{
    id: 'tag:dealdeck,2026:x/deal/1',
    title,
    url: 'https://shop.example/1?a=1&b=2',
    html: `<p>${title}</p>`,
  },
  ...{ published: time, updated: time, tags: [title] },
})
const feed = (title: string) => ({
  ...{ id: 'tag:dealdeck,2026:x/deals', title, description: title, home: 'https://deals.example/?q=a&b' },
  ...{ updated: time, entries: [entry(title)] },
})

test('what XML can not hold is left out, and the rest is read as it was written', () => {
  const title = `a\u0000b\u000b\u001f\ufffe\ud800c & "d" ]]> é机🎁`
  const read = 'abc & "d" ]]> é机🎁'
  for (const format of ['atom', 'rss'] as const) {
    const text = formats[format].write(feed(title))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/)
    expect(text.isWellFormed()).toBe(true)
    const parsed = parseFeed(text).toJSON()
    // What stands for a sign that is none is a sign of its own.
    expect(parsed.title?.replace('\ufffd', '')).toBe(read)
    expect(parsed.items[0]).toMatchObject({
      url: 'https://shop.example/1?a=1&b=2',
      published: time.toISOString(),
    })
  }
  expect(parseJsonFeed(JSON.parse(formats.json.write(feed('a & b'))))).toMatchObject({ title: 'a & b' })
})

test('a feed without entries is one too', () => {
  for (const format of ['atom', 'rss'] as const)
    expect(parseFeed(formats[format].write({ ...feed('Lamps'), entries: [] })).items).toEqual([])
  expect(JSON.parse(formats.json.write({ ...feed('Lamps'), entries: [] })).items).toEqual([])
})
