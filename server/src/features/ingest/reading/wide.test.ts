import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { Body } from './body.ts'
import { sentBodies } from './limits.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

test('of very many columns it is told in a moment what they hold', async () => {
  const names = Array.from({ length: 900 }, (_, at) => `price ${at} name`)
  const cells = names.map(() => '$5.00 x')
  async function* source() {
    yield Buffer.from(`${['asin', 'title', ...names].join()}\n`)
    for (let at = 100; at < 300; at++) yield Buffer.from(`${[`B0ABCD0${at}`, 'Lamp', ...cells].join()}\n`)
  }
  const begin = performance.now()
  const body = new Body(source(), { marketplace, overrides: [], availability: '', limits: sentBodies })
  let refused = 0
  for await (const batch of body.batches()) for (const { result } of batch) refused += result.refusal ? 1 : 0
  expect(body.mappedNames()).toEqual({ asin: 'asin', title: 'title' })
  expect(refused).toBe(200)
  expect(performance.now() - begin).toBeLessThan(4_000)
})
