import { describe, expect, test } from 'vitest'
import { type Answer, serveDocument } from '../../../../testing/documents.ts'
import { runContext } from '../../../../testing/run-context.ts'
import { FetchError } from '../../../platform/outgoing/safe-fetch.ts'
import { address } from './address/address.ts'
import { notBeforeOf } from './next-time.ts'
import type { RunContext } from './source-kind.ts'

const csv = 'asin,title,price\nB0ABCD0001,Lantern,12.50\n'
const now = new Date('2026-05-04T12:00:00Z')

async function ask(url: string, given: Partial<RunContext> = {}, more: Record<string, string> = {}) {
  const context = runContext({ clock: () => now, ...given })
  const outcome = await address.bind({ url, ...more }).run(context)
  return { context, outcome, position: context.positions.at(-1) ?? given.position }
}

describe('the next request', () => {
  test('sends the entity tag as it came, and not the date', async () => {
    const { url, requests } = await serveDocument(
      (_, count): Answer =>
        count === 1
          ? { headers: { etag: 'W/"odd, one"', 'last-modified': 'yesterday' }, body: csv }
          : { status: 304, headers: { 'last-modified': 'today' }, body: '' },
    )
    const first = await ask(url)
    const second = await ask(url, { position: first.position })
    expect(requests[1]).toMatchObject({ 'if-none-match': 'W/"odd, one"' })
    expect(requests[1]).not.toHaveProperty('if-modified-since')
    expect(second.outcome).toEqual({ state: 'unchanged' })
    expect(second.context.handed).toEqual([])
    expect(second.position).toMatchObject({ etag: 'W/"odd, one"', last_modified: 'today' })
  })

  test('sends the date where there is no tag, letter by letter', async () => {
    const { url, requests } = await serveDocument(() => ({
      headers: { 'last-modified': 'Mon, 4 of May' },
      body: csv,
    }))
    const { position } = await ask(url)
    await ask(url, { position })
    expect(requests[1]?.['if-modified-since']).toBe('Mon, 4 of May')
  })

  test('imports nothing where the body is the same, whatever its headers say', async () => {
    const { url } = await serveDocument((_, count) => ({ headers: { etag: `"${count}"` }, body: csv }))
    const first = await ask(url)
    const finished: boolean[] = []
    const hand: RunContext['hand'] = async ({ body }) => {
      for await (const _ of body);
      finished.push(true)
      return { received: 1, created: 1, updated: 0, unchanged: 0, rejected: 0, held: 0 }
    }
    const second = await ask(url, { position: first.position, hand })
    expect(second.outcome).toEqual({ state: 'unchanged' })
    expect(finished).toEqual([])
    expect(second.position).toMatchObject({ etag: '"2"' })
  })

  test('asks anew once it is read otherwise, of a try, and from a position that is none', async () => {
    const { url, requests } = await serveDocument(() => ({ headers: { etag: '"1"' }, body: csv }))
    const { position } = await ask(url)
    const others = [
      await ask(url, { position }, { map: 'price=price' }),
      await ask(url, { position, isTry: true }),
      await ask(url, { position: { etag: 7 } }),
    ]
    expect(requests.slice(1).map((headers) => headers['if-none-match'])).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(others.map(({ outcome }) => outcome.state)).toEqual(['done', 'done', 'done'])
  })
})

describe('what stays the same', () => {
  const inHours = (hours: number) => () => new Date(now.getTime() + hours * 3_600_000)
  const validators: Record<string, string>[] = [{}, { etag: '"1"' }, { 'last-modified': 'Mon, 4 of May' }]
  const states = [304, 200].flatMap((status) => validators.map((headers) => ({ status, headers })))

  test.each(states)(
    'is imported again after 20 hours, which is no news: $status $headers',
    async ({ status, headers = {} }) => {
      const { url, requests } = await serveDocument((_, count): Answer => {
        const asked = requests[count - 1] ?? {}
        const isAsked = asked['if-none-match'] ?? asked['if-modified-since']
        return status === 304 && isAsked ? { status, headers, body: '' } : { headers, body: csv }
      })
      let { position } = await ask(url)
      const seen: unknown[] = []
      for (const hours of [1, 19, 21, 40, 42]) {
        const run = await ask(url, { position, clock: inHours(hours) })
        seen.push([run.outcome.state, run.context.handed.length])
        position = run.position
      }
      const [left, again] = [
        ['unchanged', 0],
        ['unchanged', 1],
      ]
      expect(seen).toEqual([left, left, again, left, again])
      const conditions = Object.keys(headers).length
      const sent = requests.map((had) => Number('if-none-match' in had || 'if-modified-since' in had))
      expect(sent).toEqual([0, conditions, conditions, 0, conditions, 0])
    },
  )

  test('is imported again where it isn’t known when it was, but not while it waits for a person', async () => {
    const { url } = await serveDocument(() => ({ headers: { etag: '"1"' }, body: csv }))
    const { position } = await ask(url)
    const { imported_at: _, ...old } = Object(position)
    const handed = async (given: Partial<RunContext>) => {
      const run = await ask(url, { position, ...given })
      return [run.context.handed.length, (await ask(url, { position: run.position })).context.handed.length]
    }
    expect(await handed({ position: old })).toEqual([1, 0])
    expect(await handed({ position: { ...old, imported_at: inHours(1)().toISOString() } })).toEqual([1, 0])
    expect(await handed({ position: old, confirms: false })).toEqual([0, 1])
  })
})

describe('an answer that is no document', () => {
  const signIn = '<!DOCTYPE html><form><input name="p" type="password"></form>'
  const challenge = '<html><head><title>Just a moment...</title></head></html>'
  test.each<[string, { status?: number; body?: string; headers?: Record<string, string> }, object]>([
    ['401', { status: 401 }, { state: 'failed', isPermanent: true, text: /header and the secret/ }],
    ['403', { status: 403 }, { state: 'failed', text: /may need a secret/ }],
    ['404', { status: 404 }, { state: 'failed', text: /nothing at this address/ }],
    ['410', { status: 410 }, { state: 'failed', isPermanent: true, text: /gone for good/ }],
    ['418', { status: 418 }, { state: 'failed', text: /refuses the request \(418\)/ }],
    [
      '502 with a page',
      { status: 502, body: `<html>${csv}` },
      { state: 'failed', text: /trouble of its own/ },
    ],
    [
      '500 with a document',
      { status: 500, body: csv },
      { state: 'failed', text: /trouble of its own \(500\)/ },
    ],
    ['204', { status: 204 }, { state: 'failed', text: /without a document/ }],
    ['300', { status: 300 }, { state: 'failed', text: /leads on to nowhere/ }],
    ['an empty body', {}, { state: 'failed', text: /answers with nothing/ }],
    [
      'a page',
      { body: '<?xml version="1.0"?>\n<!doctype HTML>' },
      { state: 'failed', text: /a web page\. Enter/ },
    ],
    ['a page to sign in', { body: signIn }, { state: 'failed', text: /a page to sign in/ }],
    ['a check for people', { body: challenge }, { state: 'failed', text: /whether a person is asking/ }],
    [
      'such a check with 403',
      { status: 403, body: challenge },
      { state: 'failed', text: /whether a person/ },
    ],
    ['429 without a word', { status: 429 }, { state: 'waiting', text: /fewer requests/ }],
    [
      '429 with seconds',
      { status: 429, headers: { 'retry-after': '120' } },
      { state: 'waiting', text: /fewer/, notBefore: new Date('2026-05-04T12:02:00Z') },
    ],
    [
      '503 with a date',
      { status: 503, headers: { 'retry-after': 'Mon, 04 May 2026 13:00:00 GMT' } },
      { state: 'failed', text: /trouble/, notBefore: new Date('2026-05-04T13:00:00Z') },
    ],
  ])('%s', async (_, answer, expected) => {
    const { url } = await serveDocument(() => answer)
    const { context, outcome } = await ask(url)
    const matched = Object.entries(expected).map(([key, value]) => [
      key,
      value instanceof RegExp ? expect.stringMatching(value) : value,
    ])
    expect(outcome).toEqual(Object.fromEntries(matched))
    expect(context.handed).toEqual([])
    expect(context.positions).toEqual([])
  })

  test('a status counts also where the rest of the answer can’t be read', async () => {
    const headers = new Headers({ 'retry-after': '120' })
    async function* body(): AsyncGenerator<Uint8Array> {
      yield* []
      throw new FetchError('packing', 'It can’t be unpacked.')
    }
    const given = { url: 'https://deals.example', movedTo: undefined, isPublic: true, cancel: () => {} }
    const { outcome } = await ask('https://deals.example', {
      ask: async () => ({ ...given, status: 429, headers, body: body() }),
    })
    expect(outcome).toMatchObject({ state: 'waiting', notBefore: new Date('2026-05-04T12:02:00Z') })
  })

  test('that nothing has changed is no answer to who knows nothing yet', async () => {
    const { url } = await serveDocument(() => ({ status: 304, headers: { etag: '"1"' } }))
    const { outcome, context } = await ask(url)
    expect(outcome).toMatchObject({ state: 'failed', text: expect.stringContaining('(304)') })
    expect(context.positions).toEqual([])
  })

  test('401 with a secret asks to enter it anew', async () => {
    const { url } = await serveDocument(() => ({ status: 401 }))
    const { outcome } = await ask(url, { secrets: { header_value: 'old' } }, { header: 'X-Key' })
    expect(outcome.text).toContain('does not accept the secret (401)')
    expect(outcome.text).not.toContain('old')
  })
})

describe('not before', () => {
  test.each<[string, Record<string, string>, number | undefined]>([
    ['nothing said', {}, undefined],
    ['max-age', { 'cache-control': 'public, max-age=600' }, 600],
    ['max-age of what was kept on its way', { 'cache-control': 'max-age=600', age: '200' }, 400],
    [
      'max-age before Expires',
      { 'cache-control': 'max-age=0', expires: 'Mon, 04 May 2026 13:00:00 GMT' },
      undefined,
    ],
    ['no-cache', { 'cache-control': 'no-cache, max-age=600' }, undefined],
    ['Expires', { expires: 'Mon, 04 May 2026 12:10:00 GMT' }, 600],
    [
      'Expires by a clock that is wrong',
      { date: 'Mon, 04 May 2020 12:00:00 GMT', expires: 'Mon, 04 May 2020 12:05:00 GMT' },
      300,
    ],
    ['Expires 0', { expires: '0' }, undefined],
    ['Expires in the past', { expires: 'Mon, 04 May 2020 12:05:00 GMT' }, undefined],
    ['Retry-After after max-age', { 'retry-after': '900', 'cache-control': 'max-age=600' }, 900],
    ['a year', { 'cache-control': 'max-age=31536000' }, 86_400],
    ['no number', { 'retry-after': 'soon', 'cache-control': 'max-age=-5' }, undefined],
  ])('%s', (_, headers, seconds) => {
    const expected = seconds === undefined ? undefined : new Date(now.getTime() + seconds * 1_000)
    expect(notBeforeOf(new Headers(headers), now)).toEqual(expected)
  })

  test('what an answer says reaches the outcome, also where nothing is new', async () => {
    const { url } = await serveDocument(() => ({ headers: { 'cache-control': 'max-age=60' }, body: csv }))
    const notBefore = new Date('2026-05-04T12:01:00Z')
    const first = await ask(url)
    expect(first.outcome).toEqual({ state: 'done', notBefore })
    expect((await ask(url, { position: first.position })).outcome).toEqual({ state: 'unchanged', notBefore })
  })
})

test('a new address is told once redirects have named it three times in a row', async () => {
  const { url } = await serveDocument((_, count) => ({ body: `${csv}B0ABCD000${count},Lamp,1\n` }))
  const plain = runContext()
  const notes: unknown[] = []
  let position: unknown = null
  for (const movedTo of ['a', 'b', 'b', undefined, 'b', 'b', 'b', 'b'].map(
    (to) => to && `https://${to}.example/`,
  )) {
    const moving: RunContext['ask'] = async (...asked) => ({ ...(await plain.ask(...asked)), movedTo })
    const run = await ask(url, { ask: moving, position })
    notes.push(run.outcome.notes)
    position = run.position
  }
  const told = ['The address has moved for good. Its new one is https://b.example/.']
  const quiet = Array.from({ length: 6 })
  expect(notes).toEqual([...quiet, told, told])
})
