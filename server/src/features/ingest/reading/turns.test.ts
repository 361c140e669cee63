import { expect, test } from 'vitest'
import { readSettings } from '../../../platform/settings.ts'
import { Body } from './body.ts'
import { sentBodies } from './limits.ts'

const { MARKETPLACE: marketplace } = readSettings({})

test('others have their turn, and end it, between two rows of one piece', async () => {
  const reason = new Error('Left')
  const ended = new AbortController()
  const source = async function* () {
    yield Buffer.from(`asin,title,price\n${'B0ABCD0001,Folding lantern,1.50\n'.repeat(20_000)}`)
  }
  const options = { marketplace, overrides: [], availability: '', limits: sentBodies, signal: ended.signal }
  const next = new Body(source(), options).batches().next()
  setImmediate(() => setImmediate(() => ended.abort(reason)))
  await expect(next).rejects.toBe(reason)
})
