import { gzipSync } from 'node:zlib'
import { type SourceKind, sourceKinds } from '@dealdeck/contract/sources'
import { describe, expect, test } from 'vitest'
import { runContext } from '../../../../testing/run-context.ts'
import { startWebServer } from '../../../../testing/web-server.ts'
import { makeSafeFetch } from '../../../platform/outgoing/make-safe-fetch.ts'
import { creatorsKind } from './creators/creators.ts'
import { keepaKind } from './keepa/keepa.ts'
import { kinds } from './kinds.ts'
import type { RunContext } from './source-kind.ts'

test('each kind of the contract is there, in its order, and names its fields once', () => {
  expect(kinds.map(({ kind }) => kind)).toEqual(sourceKinds)
  for (const { description } of kinds)
    expect(new Set(description.fields.map(({ name }) => name)).size).toBe(description.fields.length)
})

describe('an answer of 100 KB that holds 70 MB', () => {
  const line = 'B0ABCD0001,Lantern,12.50\n'
  const bomb = gzipSync(line.repeat(70_000_000 / line.length))
  const safeFetch = makeSafeFetch({ allow: ['127.0.0.0/8'] })
  /** Documents may be larger than a test wants to unpack. */
  const most = 60_000_000

  test.each(sourceKinds)('is not unpacked beyond the limit of a source of kind %s', async (name) => {
    const { origin, asked } = await startWebServer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    const services = [keepaKind({ base: origin }), creatorsKind({ base: origin })]
    const kind = [...services, ...kinds].find((one) => one.kind === name)
    let unpacked = 0
    const ask: RunContext['ask'] = async (url, request) => {
      const limits = { ...request.limits, bytes: Math.min(request.limits.bytes, most) }
      const answer = await safeFetch(url, { ...request, limits })
      async function* counted() {
        for await (const piece of answer.body) {
          unpacked += piece.length
          yield piece
        }
      }
      return { ...answer, body: counted() }
    }
    const hand: RunContext['hand'] = async ({ body }) => {
      for await (const _ of body);
      throw new Error('It was read to its end')
    }
    const secrets = { api_key: 'key', credential_secret: 'secret' }
    const context = runContext({ ask, hand, secrets, token: async () => 'token' })
    const settings: Record<SourceKind, Record<string, string>> = {
      ...{ address: { url: `${origin}/deals.csv` }, feed: { url: `${origin}/feed` }, keepa: {} },
      creators: { partner_tag: 'deals-20', keywords: 'lantern', credential_id: 'id' },
    }
    await expect(kind?.bind(settings[name]).run(context)).rejects.toMatchObject({ failure: 'size' })
    expect(asked).toHaveLength(1)
    expect(unpacked).toBeGreaterThan(10_000_000)
    expect(unpacked).toBeLessThanOrEqual(most)
  })
})
