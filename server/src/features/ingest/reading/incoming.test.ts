import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as tick } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Incoming } from './incoming.ts'

async function drain(stream: PassThrough, patience?: ConstructorParameters<typeof Incoming>[1]) {
  let text = ''
  for await (const chunk of new Incoming(stream, patience)) text += Buffer.from(chunk).toString()
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
  await expect(drain(silent, { silence: 5 })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: /stopped coming/,
  })
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
  await expect(drain(slow, { pace: { ms: 5, bytes: 1_000 } })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: /too slowly/,
  })
  await dripping
  const steady = new PassThrough()
  const sending = drip(steady, 'xx')
  expect(await drain(steady, { pace: { ms: 5, bytes: 2 } })).toHaveLength(80)
  await sending
})

test('what nobody wanted to read is let through, so that the next request gets its turn', async () => {
  const stream = new PassThrough({ highWaterMark: 4 })
  stream.write('first rows')
  for await (const _chunk of new Incoming(stream)) break
  stream.end('and all that follows them')
  await finished(stream)
  expect(stream.readableEnded).toBe(true)
})

test('whoever reads is told at once when nobody wants it any more, also in the middle of waiting', async () => {
  const stream = new PassThrough()
  stream.write('first rows')
  const given = new AbortController()
  const reading = drain(stream, { signal: given.signal })
  setImmediate(() => given.abort(new Error('given up')))
  await expect(reading).rejects.toThrow('given up')
  expect(stream.destroyed).toBe(false)
})

test.each(['before the first chunk', 'between two chunks', 'in the middle of waiting'])(
  'an end %s, and a connection that breaks right after, leave no failure unheard',
  async (moment) => {
    const unheard = vi.fn<(reason: unknown) => void>()
    process.on('unhandledRejection', unheard)
    onTestFinished(() => void process.off('unhandledRejection', unheard))
    const stream = new PassThrough()
    stream.on('error', () => undefined)
    const given = new AbortController()
    const chunks = new Incoming(stream, { signal: given.signal })[Symbol.asyncIterator]()
    const end = () => given.abort(new Error('given up'))
    if (moment === 'before the first chunk') end()
    else {
      stream.write('first rows')
      await chunks.next()
    }
    if (moment === 'between two chunks') end()
    const next = expect(chunks.next()).rejects.toThrow('given up')
    if (moment === 'in the middle of waiting') end()
    stream.destroy(new Error('aborted'))
    await next
    await tick()
    expect(unheard).not.toHaveBeenCalled()
  },
)

test('the pace is that of the time spent waiting for the sender, of the last of it', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const stream = new PassThrough()
  const body = new Incoming(stream)
  const chunks = body[Symbol.asyncIterator]()
  /** The next chunk, which took so many seconds to come. */
  const receive = async (size: number, seconds: number) => {
    const next = chunks.next()
    await tick()
    vi.advanceTimersByTime(seconds * 1_000)
    stream.write(Buffer.alloc(size))
    await next
  }
  await receive(5_000, 5)
  expect(body.pace).toBeUndefined()
  // While it isn't waited for, no time passes for a sender.
  vi.advanceTimersByTime(60_000)
  expect(body.pace).toBeUndefined()
  await receive(5_000, 5)
  expect(body.pace).toBe(1_000)
  const late = chunks.next()
  await tick()
  vi.advanceTimersByTime(10_000)
  expect(body.pace).toBe(500)
  stream.write('.')
  await late
  for (let at = 0; at < 3; at++) await receive(100, 10)
  expect(body.pace).toBeLessThan(100)
})
