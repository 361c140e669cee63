import { expect, test } from 'vitest'
import { readFeed } from './read-feed.ts'

const items = Array.from(
  { length: 5_000 },
  (_, at) => `<item><title>Lantern - $1.50</title><link>https://deals.example/${at}</link></item>`,
)
const feedOf = (text: string) => ({
  ...{ bytes: Buffer.from(text), contentType: 'application/rss+xml' },
  ...{ domain: 'amazon.com', now: new Date('2026-05-04T12:00:00Z') },
})
const rss = `<rss version="2.0"><channel><ttl>30</ttl>${items.join('')}</channel></rss>`
const never = new AbortController().signal
const tooLong = { problem: 'The feed takes too long or too much memory to be read.' }

test('a large feed is read in order while others have their turn', async () => {
  let [turns, isRead] = [0, false]
  const count = () => {
    turns += 1
    if (!isRead) setImmediate(count)
  }
  count()
  const read = await readFeed(feedOf(rss), never)
  isRead = true
  expect(turns).toBeGreaterThan(100)
  if ('problem' in read) throw new Error(read.problem)
  const rows = read.pages.flatMap((page) => JSON.parse(page))
  const links = rows.map(({ product_url: url }) => url)
  expect(links).toEqual(items.map((_, at) => `https://deals.example/${at}`))
  expect(rows[0]).toEqual({ title: 'Lantern', price: '$1.50', product_url: links[0] })
  expect(read).toMatchObject({ isWhole: true, ttl: 30, notes: [] })
})

test('what is wrong with a large one is said', async () => {
  expect(await readFeed(feedOf(`${rss}</b>`.replace('<rss', '<rss a=')), never)).toEqual({
    problem: expect.stringContaining('not well formed'),
  })
})

test('one that takes too long or too much memory is given up', async () => {
  expect(await readFeed(feedOf(rss), never, { ms: 1, heapMb: 512 })).toEqual(tooLong)
  expect(await readFeed(feedOf(rss), never, { ms: 30_000, heapMb: 8 })).toEqual(tooLong)
})

test('whoever no longer waits for it ends it with a reason, and the next one is read', async () => {
  const reason = new Error('Stopping')
  const ended = new AbortController()
  const reading = [1, 2].map(() => readFeed(feedOf(rss), ended.signal))
  const other = readFeed(feedOf(rss), never)
  ended.abort(reason)
  for (const one of reading) await expect(one).rejects.toBe(reason)
  expect(await other).toMatchObject({ ttl: 30 })
})
