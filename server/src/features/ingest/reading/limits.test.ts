import { setImmediate as tick } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { describe, expect, test } from 'vitest'
import { Body } from './body.ts'
import { type BodyLimits, ownFiles, sentBodies } from './limits.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

const good = { asin: 'B0ABCD1234', title: 'Folding lantern', price: 9.99 }

/** Reads a body within limits; how many rows became deals. */
async function read(body: string | Buffer, limits: Partial<BodyLimits> = {}, signal?: AbortSignal) {
  async function* source() {
    const bytes = Buffer.from(body)
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
  }
  const options = { marketplace, overrides: [], availability: '', limits: { ...ownFiles, ...limits }, signal }
  let deals = 0
  for await (const batch of new Body(source(), options).batches())
    deals += batch.filter(({ result }) => result.deal).length
  return deals
}

const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const many = (count: number, row: object) => `${JSON.stringify(row)}\n`.repeat(count)

describe('packed', () => {
  /** So large that a small list of much the same would pass. */
  const length = 40_000_000
  const bombs: [string, Buffer][] = [
    ['once', gzipSync(Buffer.alloc(length, 'x'))],
    ['twice', gzipSync(gzipSync(Buffer.alloc(length, 'x')))],
    ['of nothing but empty packings', gzipSync(Buffer.alloc(length, gzipSync('')))],
  ]

  test.each(bombs)('a bomb %s is cut off', async (_how, bomb) => {
    await expect(read(bomb, sentBodies)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('More than 200 times its size'),
    })
  })

  test('a list of much the same passes, and one of any size that is not so packed', async () => {
    expect(await read(gzipSync(many(50_000, good)), sentBodies)).toBe(50_000)
    const noise = Array.from({ length: 20_000 }, (_, at) => ({ ...good, note: `${at}`.repeat(300) }))
    expect(await read(gzipSync(lines(...noise)), sentBodies)).toBe(20_000)
  })
})

describe('in a row', () => {
  const limits = { malformedInARow: 10, refusedInARow: 20 }

  test('rows that are none end a body, and the error says what they are', async () => {
    await expect(read(`${lines(good)}${'nonsense\n'.repeat(10)}`, limits)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: '10 rows in a row are unreadable: the row is not valid JSON (10). Nothing was imported.',
    })
    expect(await read(`${lines(good)}${'nonsense\n'.repeat(9)}`.repeat(5), limits)).toBe(5)
  })

  test('rows that no deal comes of end a body, and the error says why', async () => {
    const bad = many(15, { ...good, price: 0 }) + many(5, { ...good, asin: 'LAMP' })
    await expect(read(lines(good) + bad, limits)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message:
        '20 rows in a row are no deals: the price is zero or below (15), the ASIN is not valid (5). Nothing was imported.',
    })
    expect(await read((lines(good) + many(19, { ...good, price: 0 })).repeat(5), limits)).toBe(5)
  })

  test('a first line that is no header, and those after it, are counted too', async () => {
    const endless = `asin,title,price${'x'.repeat(1_000_001)}\n`
    await expect(read(endless.repeat(12), limits)).rejects.toThrow('10 rows in a row are unreadable')
  })
})

test('text in which no row ends is not read for ever', async () => {
  const limits = { charactersWithoutRow: 1_000_000 }
  for (const body of [
    `{"a":"${'x'.repeat(2_000_000)}"}`,
    `{${'"a":1,'.repeat(400_000)}"deals":[{"asin":"B0ABCD1234"}]}`,
    `asin,title,price\n${'x'.repeat(3_500_000)}`,
  ])
    await expect(read(body, limits)).rejects.toThrow('no row within 1,000,000 characters')
  expect(await read(many(20_000, good), limits)).toBe(20_000)
})

test('the operator has no such limits', async () => {
  expect(await read(gzipSync(many(100, good) + many(200_000, {}) + many(1, good)), ownFiles)).toBe(101)
})

test('a long body lets others have the event loop, and ends when nobody wants it any more', async () => {
  const given = new AbortController()
  const reading = read(many(100_000, good), {}, given.signal)
  const ended = reading.then(
    () => 'read',
    (error: Error) => error.message,
  )
  for (let turns = 0; turns < 3; turns++) await tick()
  given.abort(new Error('given up'))
  expect(await ended).toBe('given up')
})
