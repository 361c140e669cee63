import { describe, expect, test } from 'vitest'
import { type Answer, serveDocument, streamedAsk } from '../../../../../testing/documents.ts'
import { runContext } from '../../../../../testing/run-context.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { RunContext } from '../source-kind.ts'
import { feed } from './feed.ts'

const now = new Date('2026-05-04T12:00:00Z')

async function read(
  body: Answer['body'],
  headers: Record<string, string> = {},
  given: Partial<RunContext> = {},
) {
  const { url } = await serveDocument(() => ({ headers, ...(body !== undefined && { body }) }))
  const context = runContext({ clock: () => now, ...given })
  const outcome = await feed.bind({ url, lists_all: true }).run(context)
  return { outcome, context, handed: context.handed[0], rows: context.handed[0]?.rows ?? [] }
}

const item = (n: number, title = `Lantern ${n} - $${n}.50`, more = '') =>
  `<item><title>${title}</title><link>https://www.amazon.com/dp/B0ABCD000${n}</link>${more}</item>`
const rss = (items: string, more = '') =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>Deals</title>${more}${items}</channel></rss>`
const expected = (n: number) => ({ asin: `B0ABCD000${n}`, title: `Lantern ${n}`, price: `$${n}.50` })

describe('kinds of feeds', () => {
  const link = 'https://www.amazon.com/dp/B0ABCD0001'
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <channel><title>Deals</title></channel><item rdf:about="${link}"><title>Lantern 1 - $1.50</title><link>${link}</link><dc:date>2026-05-01</dc:date></item></rdf:RDF>`
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Deals</title><id>a</id><updated>2026-05-02T00:00:00Z</updated>
    <entry><title>Lantern 1 - $1.50</title><id>b</id><link href="https://deals.example/1"/><link rel="related" href="${link}"/><published>2026-05-01</published></entry></feed>`
  const json = JSON.stringify({
    ...{ version: 'https://jsonfeed.org/version/1.1', title: 'Deals' },
    items: [{ id: '1', external_url: link, title: 'Lantern 1 - $1.50', date_published: '2026-05-01' }],
  })
  const old = `<!DOCTYPE rss PUBLIC "-//Some//DTD RSS 0.91//EN" "https://dtd.example/rss.dtd">
    <rss version="0.91"><channel><title>Deals</title>${item(1)}</channel></rss>`

  test.each([
    ['RSS 2.0', rss(item(1, undefined, '<pubDate>2026-05-01</pubDate>'))],
    ['RDF', rdf],
    ['Atom', atom],
    ['JSON Feed', json],
  ])('%s', async (_, body) => {
    const { outcome, handed, rows } = await read(body)
    expect(outcome).toEqual({ state: 'done' })
    expect(rows).toEqual([expect.objectContaining({ ...expected(1), observed_at: '2026-05-01' })])
    expect(handed).toMatchObject({ isWhole: true, listsAll: true, availability: 'In stock' })
  })

  test('RSS 0.91 with its document type', async () => {
    expect((await read(old)).rows).toEqual([expect.objectContaining(expected(1))])
  })

  test('with pictures and elements of product feeds', async () => {
    const space = 'xmlns:g="http://base.google.com/ns/1.0" xmlns:media="http://search.yahoo.com/mrss/"'
    const product = '<g:price>20 USD</g:price><g:sale_price><![CDATA[9.50 USD]]></g:sale_price>'
    const media = '<media:thumbnail url="https://p.example/1.jpg"/>'
    const enclosure = '<enclosure url="https://p.example/2.jpg" type="image/jpeg" length="9"/>'
    const items = item(1, 'Lantern', product + media) + item(2, 'Lamp', enclosure)
    const { rows } = await read(rss(items).replace('<rss', `<rss ${space}`))
    expect(rows).toEqual([
      expect.objectContaining({
        price: '9.50 USD',
        original_price: '20 USD',
        image_url: 'https://p.example/1.jpg',
      }),
      expect.objectContaining({ price: '', image_url: 'https://p.example/2.jpg' }),
    ])
  })

  test.each([
    ['RSS', '<rss version="2.0"', '<channel><title>Shop</title>', 'item', '</channel></rss>'],
    ['Atom', '<feed xmlns="http://www.w3.org/2005/Atom"', '<title>Shop</title>', 'entry', '</feed>'],
  ])('with elements of product feeds only, in %s', async (_, root, beginning, name, end) => {
    const product = (n: number, more = '') =>
      `<${name}><g:id>L${n}</g:id><g:title>Lantern ${n}</g:title><g:price>${n}.50 USD</g:price>${more}
        <g:link>https://www.amazon.com/dp/B0ABCD000${n}?a=1&amp;b=2</g:link><g:description>Ends 2026-05-1${n}</g:description></${name}>`
    const space = 'xmlns:g="http://base.google.com/ns/1.0"'
    const written = (products: string) => read(`${root} ${space}>${beginning}${products}${end}`)
    const lantern = (n: number) => ({
      ...{ asin: `B0ABCD000${n}`, title: `Lantern ${n}`, price: `${n}.50 USD`, ends_at: `2026-05-1${n}` },
      product_url: `https://www.amazon.com/dp/B0ABCD000${n}?a=1&b=2`,
    })
    const all = [1, 2].map((n) => expect.objectContaining(lantern(n)))
    expect((await written(product(1) + product(2))).rows).toEqual(all)
    // Beside an element that feeds have.
    const titled = '<title>Lantern</title>'
    expect((await written(product(1, titled) + product(2, titled))).rows).toEqual(all)
    expect((await written(product(1, titled) + product(2))).rows).toEqual(all)
    const other = '<media:content xmlns:media="http://search.yahoo.com/mrss/" url="https://p.example/2.jpg"/>'
    expect((await written(product(1, other) + product(2, other))).rows).toEqual(all)
    const plain = `<${name}><title>Lantern 3</title><link href="https://www.amazon.com/dp/B0ABCD0003">https://www.amazon.com/dp/B0ABCD0003</link>
      <g:price>3.50 USD</g:price></${name}>`
    expect((await written(`${plain}${product(1)}<${name}/>${product(2)}`)).rows).toMatchObject([
      { asin: 'B0ABCD0003', title: 'Lantern 3', price: '3.50 USD' },
      ...[1, 2].map(lantern),
    ])
  })

  test('with an item of which nothing is known, which takes nothing from the others', async () => {
    const space = '<rss xmlns:g="http://base.google.com/ns/1.0"'
    const items = `${item(1)}<item/>${item(2, undefined, '<g:brand>Northlight</g:brand>')}`
    const { rows } = await read(rss(items).replace('<rss', space))
    expect(rows).toEqual([1, 2].map((n) => expect.objectContaining(expected(n))))
  })
})

describe('encodings', () => {
  const title = 'Théière - $1.50'
  const latin = (text: string) => Buffer.from(text, 'latin1')
  test.each<[string, string | Uint8Array, Record<string, string>, string[]?]>([
    ['UTF-8', rss(item(1, title)), {}],
    ['a declared one', latin(rss(item(1, title)).replace('?>', ' encoding="ISO-8859-1"?>')), {}],
    ['that of the answer', latin(rss(item(1, title))), { 'content-type': 'text/xml; charset=iso-8859-1' }],
    [
      'that of the answer before a declared one',
      rss(item(1, title)).replace('?>', ' encoding="ISO-8859-1"?>'),
      { 'content-type': 'text/xml; charset="utf-8"' },
    ],
    [
      'a byte order mark before all',
      Buffer.from(`\ufeff${rss(item(1, title))}`, 'utf16le'),
      { 'content-type': 'text/xml; charset=utf-8' },
    ],
    [
      'none said',
      latin(rss(item(1, title))),
      {},
      ['The feed is not UTF-8 and does not say what it is. It was read as Windows-1252.'],
    ],
    ['UTF-16 that it is not', rss(item(1, title)).replace('?>', ' encoding="UTF-16"?>'), {}],
    ['one that nobody knows', rss(item(1, title)), { 'content-type': 'text/xml; charset=klingon' }],
  ])('%s', async (_, body, headers, notes) => {
    const { outcome, rows } = await read(body, headers)
    expect(rows).toEqual([expect.objectContaining({ title: 'Théière' })])
    expect(outcome.notes).toEqual(notes)
  })
})

describe('what is not well formed', () => {
  test('is repaired where signs had to be written out', async () => {
    const bare = item(1, 'Lantern & Lamp\u0001 - $1.50', '<description><![CDATA[A & B]]></description>')
    const { outcome, rows, handed } = await read(rss(bare + item(2)))
    expect(rows).toEqual([
      expect.objectContaining({ title: 'Lantern & Lamp' }),
      expect.objectContaining(expected(2)),
    ])
    expect(outcome.notes).toEqual([
      'The feed was not well formed: signs that have to be written out were repaired.',
    ])
    expect(handed).toMatchObject({ isWhole: true, listsAll: true })
  })

  test('is cut behind the last whole entry, and is then not all there is', async () => {
    const { outcome, rows, handed } = await read(rss(item(1) + item(2)).slice(0, -60))
    expect(rows).toEqual([expect.objectContaining(expected(1))])
    expect(outcome.notes).toEqual([
      'The feed was broken off: what comes behind its last whole entry is left out.',
    ])
    expect(handed).toMatchObject({ isWhole: false, listsAll: false })
  })

  test.each([
    ['beyond repair', rss(`${item(1, 'Lantern </b>')}${item(2)}`), 'could not be repaired'],
    [
      'with entities of its own',
      `<!DOCTYPE rss [<!ENTITY a "aaaa">]>${rss(item(1, '&a;'))}`,
      'entities of its own',
    ],
    ['no feed', '<?xml version="1.0"?><catalog/>', 'This is no feed'],
    ['other JSON', '{"deals": []}', 'This is no feed'],
    ['a text', 'asin,title,price', 'This is no feed'],
    ['a page', '<!doctype html><title>Deals</title>', 'a web page'],
  ])('%s ends the run, and is read again the next time', async (_, body, text) => {
    const { outcome, context } = await read(body)
    expect(outcome).toEqual({ state: 'failed', text: expect.stringContaining(text) })
    expect(outcome.text).toContain('Earlier deals stay.')
    expect([context.handed, context.positions]).toEqual([[], []])
  })
})

test('a feed without entries imports nothing', async () => {
  const { outcome, context } = await read(rss(''))
  expect(outcome).toEqual({ state: 'done', notes: ['The feed has no entries.'] })
  expect(context.handed).toEqual([])
})

test('a feed says for how many minutes it rests, and is not imported again when it is the same', async () => {
  const body = rss(item(1), '<ttl>30</ttl>')
  const first = await read(body)
  expect(first.outcome).toEqual({ state: 'done', notBefore: new Date('2026-05-04T12:30:00Z') })
  const { url } = await serveDocument(() => ({ body }))
  const one = runContext()
  await feed.bind({ url }).run(one)
  const two = runContext({ position: one.positions[0] })
  expect(await feed.bind({ url }).run(two)).toEqual({ state: 'unchanged' })
  expect(two.handed).toEqual([])
  const clock = () => new Date(Date.now() + 21 * 3_600_000)
  const late = runContext({ position: two.positions[0], clock })
  expect(await feed.bind({ url }).run(late)).toMatchObject({ state: 'unchanged' })
  expect(late.handed).toHaveLength(1)
})

test('a feed without end ends with the limit of its size', async () => {
  async function* endless() {
    yield Buffer.from('<rss version="2.0"><channel>')
    for (;;) yield Buffer.from(item(1).repeat(5_000))
  }
  const counted = { bytes: 0, cancelled: false }
  await expect(read(endless(), {}, { ask: streamedAsk(counted) })).rejects.toThrow('too large')
  expect(counted).toEqual({ bytes: expect.any(Number), cancelled: true })
  expect(counted.bytes).toBeLessThan(17 * 1024 ** 2)
})

test('entries with a short link only are counted, and a refused document is a failed run', async () => {
  const short = '<item><title>Lantern - $1</title><link>https://amzn.to/3abcDEF</link></item>'
  expect((await read(rss(short))).outcome.notes).toEqual([
    'Entries with a short link only, which does not say which item it is: 1.',
  ])
  const hand = () => Promise.reject(new AppError('INVALID_INPUT', 'Nothing can be read.'))
  expect((await read(rss(item(1)), {}, { hand })).outcome).toEqual({
    state: 'failed',
    text: 'Nothing can be read.',
  })
})
