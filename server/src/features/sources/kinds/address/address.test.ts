import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { serveDocument, streamedAsk } from '../../../../../testing/documents.ts'
import { runContext } from '../../../../../testing/run-context.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { RunContext } from '../source-kind.ts'
import { address } from './address.ts'

const csv = 'asin,title,price\nB0ABCD0001,Lantern,12.50\n'
const deal = (n: number) => ({ asin: `B0ABCD000${n}`, title: `Lantern ${n}`, price: n })

async function ask(settings: Record<string, string | boolean>, given: Partial<RunContext> = {}) {
  const context = runContext(given)
  return { context, outcome: await address.bind(settings).run(context) }
}

describe('a document', () => {
  test('is handed over as it came, with what the settings say of it', async () => {
    const { url } = await serveDocument(() => ({ body: csv }))
    const settings = { url, map: 'price=price', encoding: 'windows-1252', lists_all: true }
    const { context, outcome } = await ask(settings)
    expect(outcome).toEqual({ state: 'done' })
    expect(context.handed).toEqual([
      {
        ...{ text: csv, rows: [], map: 'price=price', encoding: 'windows-1252' },
        ...{ availability: 'In stock', isWhole: true, listsAll: true },
      },
    ])
  })

  test('of gzip goes as it is to whoever can unpack it', async () => {
    const packed = gzipSync(csv)
    const { url } = await serveDocument(() => ({ body: packed }))
    const pieces: Uint8Array[] = []
    const hand: RunContext['hand'] = async ({ body }) => {
      for await (const piece of body) if (piece instanceof Uint8Array) pieces.push(piece)
      return { received: 1, created: 1, updated: 0, unchanged: 0, rejected: 0, held: 0 }
    }
    await ask({ url }, { hand })
    expect(Buffer.concat(pieces)).toEqual(packed)
  })

  test('is asked for with the header, whose value is sent as a secret', async () => {
    const { url, requests } = await serveDocument(() => ({ body: csv }))
    const secrets: (Record<string, string> | undefined)[] = []
    const plain = runContext()
    await ask(
      { url, header: 'X-Api-Key' },
      {
        secrets: { header_value: 'sesame' },
        ask: (asked, request) => {
          secrets.push(request.secretHeaders)
          return plain.ask(asked, request)
        },
      },
    )
    expect(requests[0]?.['x-api-key']).toBe('sesame')
    expect(secrets).toEqual([{ 'X-Api-Key': 'sesame' }])
  })

  test('that the importer refuses ends the run with its reason, and is read again the next time', async () => {
    const { url } = await serveDocument(() => ({ body: '{"deals": [' }))
    const hand = () => Promise.reject(new AppError('INVALID_INPUT', 'The JSON is broken off.'))
    const { context, outcome } = await ask({ url }, { hand })
    expect(outcome).toEqual({ state: 'failed', text: 'The JSON is broken off.' })
    expect(context.positions).toEqual([])
  })

  test('is not what a database that is away makes of it', async () => {
    const { url } = await serveDocument(() => ({ body: csv }))
    const hand = () => Promise.reject(new AppError('DATABASE_UNAVAILABLE', 'It is away.'))
    await expect(ask({ url }, { hand })).rejects.toThrow('It is away.')
  })

  test('without end is streamed, and ends with the limit of its size', async () => {
    const piece = Buffer.from('B0ABCD0001,Lantern,12.50\n'.repeat(40_000))
    async function* endless() {
      for (;;) yield piece
    }
    const { url } = await serveDocument(() => ({ body: endless() }))
    const read = { bytes: 0, cancelled: false }
    let [most, handed] = [0, 0]
    const asks = streamedAsk(read)
    const limited: RunContext['ask'] = (asked, request) => {
      expect(request.limits).toMatchObject({ packedBytes: 512 * 1024 ** 2, bytes: 2 * 1024 ** 3 })
      return asks(asked, { ...request, limits: { ...request.limits, bytes: 20_000_000 } })
    }
    const hand: RunContext['hand'] = async ({ body }) => {
      for await (const bytes of body) {
        if (bytes instanceof Uint8Array) handed += bytes.length
        most = Math.max(most, read.bytes - handed)
      }
      return { received: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, held: 0 }
    }
    await expect(ask({ url }, { ask: limited, hand })).rejects.toThrow('too large')
    expect(handed).toBeGreaterThan(15_000_000)
    expect(most).toBeLessThan(2_000_000)
    expect(read.cancelled).toBe(true)
  })
})

describe('lists of a JSON document', () => {
  const two = JSON.stringify({ deals: { dr: [deal(1)] }, others: [deal(2), deal(3)], shops: [{ name: 'N' }] })
  const lists = [
    { path: '$.others', rows: 2 },
    { path: '$.deals.dr', rows: 1 },
    { path: '$.shops', rows: 1 },
  ]

  test('are named where there are several of products, and nothing is imported', async () => {
    const { url } = await serveDocument(() => ({ body: two }))
    const { context, outcome } = await ask({ url })
    expect(outcome).toEqual({
      ...{ state: 'failed', isPermanent: true, lists },
      text: 'The document holds several lists of products. Name one of them in the settings: $.others, $.deals.dr.',
    })
    expect(context.handed).toEqual([])
  })

  test('are named of a try beside the rows of one', async () => {
    const { url } = await serveDocument(() => ({ body: two }))
    const { context, outcome } = await ask({ url }, { isTry: true })
    expect(outcome).toEqual({ state: 'done', lists })
    expect(context.handed).toHaveLength(1)
  })

  test('need no name where only one is of products', async () => {
    const body = JSON.stringify({ deals: [deal(1)], shops: [{ name: 'North' }] })
    const { url } = await serveDocument(() => ({ body }))
    const { context, outcome } = await ask({ url })
    expect(outcome).toEqual({ state: 'done' })
    expect(context.handed[0]).not.toHaveProperty('listPath')
  })

  test('the named one is asked of the importer', async () => {
    const { url } = await serveDocument(() => ({ body: two }))
    const { context, outcome } = await ask({ url, list_path: '$.deals.dr' })
    expect(outcome).toEqual({ state: 'done' })
    expect(context.handed[0]).toMatchObject({ listPath: '$.deals.dr', text: two })
  })
})

test('a try reads no more than the beginning, and remembers nothing', async () => {
  const piece = Buffer.from('B0ABCD0001,Lantern,12.50\n'.repeat(10_000))
  async function* endless() {
    for (;;) yield piece
  }
  const { url } = await serveDocument(() => ({ body: endless() }))
  const read = { bytes: 0, cancelled: false }
  const { context, outcome } = await ask({ url }, { isTry: true, ask: streamedAsk(read) })
  expect(outcome).toEqual({ state: 'done' })
  expect(context.handed[0]?.text.length).toBeLessThan(6_000_000)
  expect(read.bytes).toBeLessThan(6_000_000)
  expect(read.cancelled).toBe(true)
  expect(context.positions).toEqual([])
})

describe('settings', () => {
  const url = 'https://deals.example/list.csv'

  test.each([
    [{}, 'url'],
    [{ url: 'ftp://deals.example/list' }, 'url'],
    [{ url: 'https://me:secret@deals.example/' }, 'url'],
    [{ url, map: 'nonsense' }, 'map'],
    [{ url, encoding: 'klingon' }, 'encoding'],
    [{ url, list_path: '$..' }, 'list_path'],
    [{ url, header: 'Content-Length' }, 'header'],
    [{ url, header: 'two words' }, 'header'],
    [{ url, lists_all: 'yes' }, 'lists_all'],
  ])('%j are refused with the name of the field', (settings, field) => {
    expect(() => address.bind(settings)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: [field] })] }),
    )
  })

  test('a header needs its value, and a value its header', () => {
    expect(address.bind({ url, header: 'X-Key' }).check([])).toHaveProperty('header_value')
    expect(address.bind({ url }).check(['header_value'])).toHaveProperty('header')
    expect(address.bind({ url, header: 'X-Key' }).check(['header_value'])).toBeNull()
  })

  test('have a field of the form each', () => {
    const names = address.description.fields.map(({ name }) => name)
    const { settings } = address.bind({ url })
    expect(names.filter((name) => name !== 'header_value').sort()).toEqual(Object.keys(settings).sort())
    for (const { name, initial } of address.description.fields)
      if (name !== 'header_value' && name !== 'url') expect(settings[name]).toBe(initial)
  })
})
