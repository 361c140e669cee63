import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { importPreviewSchema, importResultSchema, mostTokens } from '@dealdeck/contract/ingest'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeToken, nextAsin } from '../../../testing/factories.ts'

const { app, databases, signIn } = await buildTestApp()
const admin = await signIn('admin')
const json = { ...admin.headers, 'content-type': 'application/json' }

const lantern = () => ({ asin: nextAsin(), title: 'Folding lantern', price: 12.5, availability: 'In stock' })

function post(payload: string | Buffer, query = '', headers: Record<string, string> = json) {
  return app.inject({ method: 'POST', url: `/api/products/import${query}`, headers, payload })
}

test('an import answers what the contract says, and the deal is in the feed', async () => {
  const deal = lantern()
  const answer = await post(JSON.stringify([deal, { ...deal, asin: 'nonsense' }]))
  expect(answer.statusCode).toBe(200)
  const result = importResultSchema.parse(answer.json())
  expect(result).toMatchObject({
    received: 2,
    created: 1,
    rejected: [{ row: 2, asin: null, reason: 'the ASIN is not valid' }],
    mapping: { asin: 'asin', price: 'price' },
  })
  const feed = await app.inject({ url: '/api/products?limit=1', headers: admin.headers })
  expect(feed.json().items[0]).toMatchObject({ asin: deal.asin, price: 12.5 })
})

test.each([
  ['application/x-ndjson', (row: object) => JSON.stringify(row)],
  ['text/csv', (row: object) => `${Object.keys(row).join(';')}\r\n${Object.values(row).join(';')}`],
  ['application/octet-stream', (row: object) => gzipSync(JSON.stringify([row]))],
  ['text/plain', (row: object) => JSON.stringify({ deals: [row] })],
])('a body of type %s is told by its content', async (type, write) => {
  const answer = await post(write(lantern()), '', { ...admin.headers, 'content-type': type })
  expect(answer.json()).toMatchObject({ received: 1, created: 1 })
})

test('a body may come without a type and with Content-Encoding', async () => {
  const packed = () => gzipSync(JSON.stringify([lantern()]))
  const plain = await post(JSON.stringify([lantern()]), '', admin.headers)
  expect(plain.json()).toMatchObject({ created: 1 })
  const encoded = await post(packed(), '', { ...json, 'content-encoding': 'gzip' })
  expect(encoded.json()).toMatchObject({ created: 1 })
  const twice = await post(gzipSync(packed()), '', { ...json, 'content-encoding': 'gzip' })
  expect(twice.json()).toMatchObject({ created: 1 })
})

test('a dry run writes nothing', async () => {
  const deal = lantern()
  const answer = await post(JSON.stringify([deal]), '?dry_run=true')
  expect(answer.json()).toMatchObject({ created: 1, dry_run: true })
  const found = await databases.db.selectFrom('deals').where('asin', '=', deal.asin).select('id').execute()
  expect(found).toEqual([])
})

test.each([
  ['', 'INVALID_INPUT', 400],
  ['[{"asin":', 'INVALID_INPUT', 400],
  ['<html></html>', 'UNSUPPORTED_MEDIA_TYPE', 415],
  ['just some words', 'UNSUPPORTED_MEDIA_TYPE', 415],
  [Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0]), 'UNSUPPORTED_MEDIA_TYPE', 415],
  [gzipSync('[{"asin":"B0"}]'.repeat(99)).subarray(0, 40), 'INVALID_INPUT', 400],
])('body %j is refused with one clear error', async (payload, code, status) => {
  const answer = await post(payload)
  expect(answer.statusCode).toBe(status)
  expect(answer.json()).toMatchObject({ code, message: expect.stringMatching(/\.$/) })
})

test.each([
  ['?map=price=nowhere', /Columns are asin, title, price, availability/],
  ['?map=colour=title', /Fields are asin, product_url, title/],
  ['?dry_run=perhaps', /^dry_run must be true or false$/],
  ['?unknown=1', /unknown/i],
])('query %s is refused with what is known', async (query, message) => {
  const answer = await post(JSON.stringify([lantern()]), query)
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(message) })
})

test('forms and unknown encodings are refused', async () => {
  const form = await post('x', '', { ...json, 'content-type': 'multipart/form-data; boundary=x' })
  expect(form.statusCode).toBe(415)
  const brotli = await post('x', '', { ...json, 'content-encoding': 'br' })
  expect(brotli.statusCode).toBe(415)
})

test('a preview shows columns, cells and deals of a body cut off anywhere', async () => {
  const body = Array.from({ length: 40 }, () => JSON.stringify(lantern())).join(',')
  const payload = `[${body}`
  const answer = await app.inject({
    method: 'POST',
    url: '/api/products/import/preview?availability=In+stock',
    headers: json,
    payload,
  })
  const preview = importPreviewSchema.parse(answer.json())
  expect(preview).toMatchObject({ format: 'json', columns: ['asin', 'title', 'price', 'availability'] })
  expect(preview.rows).toHaveLength(20)
  expect(preview.rows[0]).toMatchObject({
    row: 1,
    cells: { price: '12.5' },
    deal: { price: 12.5 },
    reason: null,
  })
})

test('of a document with several lists the named one is imported, and previewed', async () => {
  const payload = JSON.stringify({ deals: [lantern()], others: [lantern(), lantern()] })
  const ask = async (path: string) =>
    (await app.inject({ method: 'POST', url: path, headers: json, payload })).json()
  const imported = importResultSchema.parse(await ask('/api/products/import?list_path=$.deals'))
  expect(imported.received).toBe(1)
  const preview = importPreviewSchema.parse(await ask('/api/products/import/preview?list_path=$.deals'))
  expect(preview.received).toBe(1)
})

test('a token imports, is listed without its text, and is worthless once removed', async () => {
  const made = await app.inject({
    method: 'POST',
    url: '/api/ingest_tokens',
    headers: json,
    payload: { name: 'Price watcher' },
  })
  expect(made.statusCode).toBe(201)
  const { id, token } = made.json()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  expect((await post(JSON.stringify([lantern()]), '', headers)).statusCode).toBe(200)
  const list = await app.inject({ url: '/api/ingest_tokens', headers: admin.headers })
  expect(list.json()).toEqual([
    { id, name: 'Price watcher', created_at: expect.any(String), last_used_at: expect.any(String) },
  ])
  const removal = { method: 'DELETE' as const, url: `/api/ingest_tokens/${id}`, headers: admin.headers }
  expect((await app.inject(removal)).statusCode).toBe(204)
  expect((await app.inject(removal)).statusCode).toBe(404)
  const refused = await post(JSON.stringify([lantern()]), '', headers)
  expect([refused.statusCode, refused.json().message]).toEqual([
    401,
    expect.stringContaining('This import token is not known'),
  ])
})

test('there are no more tokens than the list of them shows', async () => {
  const insert = `insert into ingest_tokens (name, token_hash, created_by)
    select 'one of many', sha256(at::text::bytea), (select min(id) from users) from generate_series(1, $1) at`
  await databases.durablePool.query(insert, [mostTokens])
  const made = await app.inject({
    method: 'POST',
    url: '/api/ingest_tokens',
    headers: json,
    payload: { name: 'One too many' },
  })
  const list = await app.inject({ url: '/api/ingest_tokens', headers: admin.headers })
  await databases.durablePool.query("delete from ingest_tokens where name = 'one of many'")
  expect([made.statusCode, made.json().code, list.json()]).toEqual([
    ...[409, 'CONFLICT'],
    expect.objectContaining({ length: mostTokens }),
  ])
})

test('a client that goes away in the middle leaves nothing behind', async () => {
  const count = async () =>
    (await databases.customPlanPool.query('select count(*) as n from deals')).rows[0].n
  const before = await count()
  const rows = Array.from({ length: 15_000 }, () => JSON.stringify(lantern()))
  const sender = request(`${await listening()}/api/products/import`, {
    method: 'POST',
    headers: await script(),
  })
  sender.on('error', () => undefined)
  await new Promise((sent) => sender.write(rows.join('\n'), sent))
  const lent = () => databases.patientPool.totalCount - databases.patientPool.idleCount
  await expect.poll(lent).toBe(1)
  sender.destroy()
  await expect.poll(lent).toBe(0)
  expect(await count()).toBe(before)
  expect((await post(JSON.stringify([lantern()]))).json()).toMatchObject({ created: 1 })
})

test('a body that fails early is answered, not cut off', async () => {
  const body = `[{"asin":"B0ABCD1234"}] nonsense ${' '.repeat(5_000_000)}`
  const headers = await script()
  const answer = await fetch(`${await listening()}/api/products/import`, { method: 'POST', headers, body })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ code: 'INVALID_INPUT' })
})

let address: Promise<string> | undefined
function listening(): Promise<string> {
  address ??= app.listen({ port: 0, host: '127.0.0.1' })
  return address
}

async function script() {
  return { authorization: `Bearer ${await makeToken(databases)}`, 'content-type': 'application/json' }
}
