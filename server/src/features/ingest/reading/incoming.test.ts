import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { incoming } from './incoming.ts'

async function drain(stream: PassThrough, silence?: number): Promise<string> {
  let text = ''
  for await (const chunk of incoming(stream, silence)) text += Buffer.from(chunk).toString()
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

test('what nobody wanted to read is let through, so that the next request gets its turn', async () => {
  const stream = new PassThrough({ highWaterMark: 4 })
  stream.write('first rows')
  for await (const _chunk of incoming(stream)) break
  stream.end('and all that follows them')
  await finished(stream)
  expect(stream.readableEnded).toBe(true)
})
