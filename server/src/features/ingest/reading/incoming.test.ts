import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { incoming } from './incoming.ts'

async function drain(
  stream: PassThrough,
  silence?: number,
  pace?: { ms: number; bytes: number },
): Promise<string> {
  let text = ''
  for await (const chunk of incoming(stream, silence, pace)) text += Buffer.from(chunk).toString()
  return text
}

test('a body arrives whole', async () => {
  const stream = new PassThrough()
  stream.write('one ')
  stream.end('two')
  expect(await drain(stream)).toBe('one two')
})

test('a sender that goes away or falls silent is told from one that is done', async () => {
  const gone = new PassThrough()
  gone.write('one')
  setImmediate(() => gone.destroy())
  await expect(drain(gone)).rejects.toMatchObject({ code: 'INVALID_INPUT', message: /ended before/ })
  const silent = new PassThrough()
  silent.write('one')
  await expect(drain(silent, 5)).rejects.toMatchObject({ code: 'INVALID_INPUT', message: /stopped coming/ })
  expect(silent.destroyed).toBe(false)
})

test('a sender that only drips is told so; one that is slow and gets on is waited for', async () => {
  const drip = async (stream: PassThrough, text: string) => {
    for (let count = 0; count < 40 && !stream.destroyed; count += 1) {
      stream.write(text)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    stream.end()
  }
  const slow = new PassThrough()
  const dripping = drip(slow, 'x')
  await expect(drain(slow, 5_000, { ms: 5, bytes: 1_000 })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: /too slowly/,
  })
  await dripping
  const steady = new PassThrough()
  const sending = drip(steady, 'xx')
  expect(await drain(steady, 5_000, { ms: 5, bytes: 2 })).toHaveLength(80)
  await sending
})

test('what nobody wanted to read is let through, so that the next request gets its turn', async () => {
  const stream = new PassThrough({ highWaterMark: 4 })
  stream.write('first rows')
  for await (const _chunk of incoming(stream)) break
  stream.end('and all that follows them')
  await finished(stream)
  expect(stream.readableEnded).toBe(true)
})
