import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { Body } from './body.ts'
import { sentBodies } from './limits.ts'

const found = marketplaceByDomain('amazon.com')
if (!found) throw new Error('amazon.com is a marketplace')
const marketplace = found

/** Milliseconds of reading 200 rows with so many columns that might be prices. */
async function timeReading(count: number): Promise<number> {
  const names = Array.from({ length: count }, (_, at) => `price ${at} name`)
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
  return performance.now() - begin
}

test('what very many columns hold is told as fast as of a tenth of them', async () => {
  await timeReading(90)
  const [few, many] = [await timeReading(90), await timeReading(900)]
  expect(many / few).toBeLessThan(4)
})
