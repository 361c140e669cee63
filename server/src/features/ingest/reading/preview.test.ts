import { request } from 'node:http'
import type { ImportPreview } from '@dealdeck/contract/ingest'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../../testing/app.ts'
import { makeToken, nextAsin } from '../../../../testing/factories.ts'
import { readSettings } from '../../../platform/settings.ts'
import { sentBodies } from './limits.ts'
import { previewBody } from './preview.ts'

const { MARKETPLACE: marketplace } = readSettings({})
const options = { map: '', availability: '', limits: sentBodies }
const row = (values: object) =>
  `${JSON.stringify({ asin: nextAsin(), title: 'Enamel mug', price: 8, ...values })}\n`

async function preview(...pieces: string[]): Promise<ImportPreview & { taken: number }> {
  let taken = 0
  async function* body() {
    for (const piece of pieces) {
      taken += 1
      yield Buffer.from(piece)
    }
  }
  const found = await previewBody({ marketplace }, body(), options)
  return { ...found, taken }
}

test('it counts what would be refused over all that it reads, and shows accepted rows first', async () => {
  const refused = Array.from({ length: 30 }, () => row({ price: 'free' }))
  const accepted = Array.from({ length: 400 }, () => row({}))
  const found = await preview(refused.join(''), accepted.join(''), row({ title: '' }))
  expect(found).toMatchObject({ received: 431, rejected_total: 31 })
  expect(found.rejected_by_reason).toEqual({ 'the price is not a number': 30, 'no title': 1 })
  expect(found.rows.map(({ row }) => row)).toEqual(Array.from({ length: 20 }, (_, at) => 31 + at))
  const few = await preview(row({ price: 'free' }) + row({}))
  expect(few.rows.map(({ row, reason }) => [row, reason])).toEqual([
    [2, null],
    [1, 'the price is not a number'],
  ])
})

test('it reads so many rows of a long body, and lets the rest come', async () => {
  const pieces = Array.from({ length: 40 }, () => Array.from({ length: 500 }, () => row({})).join(''))
  expect(await preview(...pieces)).toMatchObject({ received: 10_000, taken: 40 })
  await expect(preview('PK\x03\x04', ...pieces)).rejects.toThrow('ZIP')
})

test('a client that listens only when it has sent everything gets its answer', async () => {
  const { app, databases } = await buildTestApp()
  const token = await makeToken(databases)
  const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const sending = request(
    {
      ...{ host: address.hostname, port: address.port, method: 'POST', path: '/api/products/import/preview' },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    },
    async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      const { received } = JSON.parse(text)
      resolve(`${sending.writableFinished} ${response.statusCode} ${received >= 10_000 && received < 12_000}`)
    },
  )
  sending.on('error', reject)
  for (let at = 0; at < 60; at++) sending.write(Array.from({ length: 1_000 }, () => row({})).join(''))
  sending.end()
  expect(await promise).toBe('true 200 true')
})

test('ratings on another scale are left out and counted', async () => {
  const found = await preview(
    row({ rating: 4.5 }) + row({ rating: 47 }) + row({ rating: '9.2' }) + row({ rating: 0 }),
  )
  expect(found.notes).toEqual(['Ratings outside 0 to 5 in rating were left out: 2.'])
  expect(found.rows.map(({ deal }) => deal?.rating)).toEqual([4.5, null, null, null])
})
