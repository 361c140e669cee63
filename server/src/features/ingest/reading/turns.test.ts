import { expect, test } from 'vitest'
import { readSettings } from '../../../platform/settings.ts'
import { Body } from './body.ts'
import { sentBodies } from './limits.ts'

const { MARKETPLACE: marketplace } = readSettings({})

test('while the rows of one large piece are read others have their turn', async () => {
  const rows = Array.from(
    { length: 20_000 },
    (_, at) => `B0${String(at).padStart(8, '0')},Folding lantern,"$1,${String(at % 1_000).padStart(3, '0')}.50"`,
  )
  const source = async function* () {
    yield Buffer.from(`asin,title,price\n${rows.join('\n')}\n`)
  }
  let [turns, isRead, read] = [0, false, 0]
  const count = () => {
    turns += 1
    if (!isRead) setImmediate(count)
  }
  count()
  const options = { marketplace, overrides: [], availability: '', limits: sentBodies }
  for await (const batch of new Body(source(), options).batches())
    read += batch.filter(({ result }) => result.deal).length
  isRead = true
  expect(read).toBe(20_000)
  expect(turns).toBeGreaterThan(10)
})

test('whoever ends it ends it between two rows', async () => {
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
