import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from './log.ts'

afterEach(() => void vi.useRealTimers())

/** A log whose lines can be read back; `isTTY` decides their form. */
function capture(isTTY: boolean) {
  let written = ''
  const lines = () => {
    const text = written
    written = ''
    return text
  }
  const write = (line: string) => {
    written += line
  }
  // Only `isTTY` and `write` of a terminal's stream are used.
  const output = { isTTY, write } as unknown as NodeJS.WriteStream
  return { log: createLog('info', output), lines }
}

test('an error is logged without the row that PostgreSQL quotes and without the client', () => {
  const { log, lines } = capture(false)
  const inner = Object.assign(new Error('new row violates a check'), {
    code: '23514',
    detail: 'Failing row contains (1, ann, $argon2id$secret)',
    client: { password: 'secret' },
  })
  log.error({ err: new Error('Saving failed', { cause: inner }) }, 'oh')
  const line = lines()
  expect(line).not.toContain('secret')
  expect(JSON.parse(line)).toMatchObject({
    msg: 'oh',
    err: { message: 'Saving failed', cause: { code: '23514', message: 'new row violates a check' } },
  })
})

test('passwords and tokens handed by mistake are struck out', () => {
  const { log, lines } = capture(false)
  log.info({ body: { username: 'ann', password: 'hunter22' }, token: 'hunter22' })
  expect(lines()).not.toContain('hunter22')
})

test('a terminal gets a plain line', () => {
  const { log, lines } = capture(true)
  log.warn({ port: 3 }, 'Something')
  expect(lines()).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z warn Something \{"port":3\}\n$/)
})

test('a line says its time in words a person reads', () => {
  const { log, lines } = capture(false)
  log.info('Something')
  const { time } = JSON.parse(lines())
  expect(new Date(time).toISOString()).toBe(time)
})

/** What was written, read back without its time and stack. */
const messages = (lines: string) =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { time: _, level: __, err, ...rest } = JSON.parse(line)
      return { ...rest, ...(err && { err: err.message }) }
    })

test('errors that say the same are one line, then one a minute with how many there were and whose', () => {
  vi.useFakeTimers()
  const { log, lines } = capture(false)
  const fail = (by: number, route = '/a', message = 'Out of order') =>
    log.child({ request_id: by }).error({ err: new Error(message), route, by, ms: by }, 'request failed')
  for (let at = 0; at < 3_000; at++) fail(at % 3)
  fail(7, '/b')
  fail(7, '/a', 'Worn out')
  const first = { err: 'Out of order', route: '/a', msg: 'request failed' }
  expect(messages(lines())).toEqual([
    { ...first, request_id: 0, by: 0, ms: 0 },
    { ...first, request_id: 7, by: 7, ms: 7, route: '/b' },
    { ...first, request_id: 7, by: 7, ms: 7, err: 'Worn out' },
  ])
  vi.advanceTimersByTime(59_999)
  fail(2)
  expect(lines()).toBe('')
  vi.advanceTimersByTime(1)
  expect(messages(lines())).toMatchObject([{ ...first, repeated: 3_000, by: [1, 2, 0] }])
  // A quiet minute later it is news again.
  vi.advanceTimersByTime(60_000)
  fail(5)
  expect(messages(lines())).toMatchObject([{ ...first, by: 5 }])
  expect(vi.getTimerCount()).toBe(1)
})

test('refusals of one caller are ten lines, then one a minute with how many there were, and of too many callers as well', () => {
  vi.useFakeTimers()
  const { log, lines } = capture(false)
  const refuse = (by: number | string, address: string, route = '/a') =>
    log.info({ route, address, by }, 'refused: FORBIDDEN')
  for (let at = 0; at < 3_000; at++) refuse(7, '::1')
  for (let at = 0; at < 12; at++) refuse(8, '::1')
  const first = (by: number) => ({ route: '/a', address: '::1', by, msg: 'refused: FORBIDDEN' })
  const ten = (by: number) => Array.from({ length: 10 }, () => first(by))
  expect(messages(lines())).toEqual([...ten(7), ...ten(8)])
  vi.advanceTimersByTime(60_000)
  expect(messages(lines())).toMatchObject([
    { msg: 'refused: FORBIDDEN', route: '/a', address: '::1', by: 7, repeated: 2_990 },
    { by: 8, repeated: 2 },
  ])
  for (let at = 0; at < 5_000; at++) refuse('nobody', `2001:db8::${at}`)
  const written = lines().split('\n').length
  expect(written).toBeLessThan(1_020)
  vi.advanceTimersByTime(60_000)
  expect(messages(lines())).toMatchObject([{ repeated: expect.any(Number), by: ['nobody'] }])
  // Whatever fails meanwhile is still told of once.
  for (let at = 0; at < 5; at++) log.error({ route: '/b' }, 'request failed')
  expect(messages(lines())).toHaveLength(1)
})

test('errors handed as they are, and texts with something to fill in, are told apart and said again as they were', () => {
  const { log, lines } = capture(false)
  for (const message of ['Worn out', 'Broken', 'Worn out']) log.error(new Error(message))
  for (const name of ['one', 'two', 'one']) log.warn({ port: 3 }, 'Lost %s', name)
  log.flush()
  const [worn, broken] = ['Worn out', 'Broken'].map((text) => ({ err: text, msg: text }))
  const [one, two] = ['one', 'two'].map((name) => ({ port: 3, msg: `Lost ${name}` }))
  const again = { repeated: 1, since: expect.any(String) }
  expect(messages(lines())).toEqual([worn, broken, one, two, { ...worn, ...again }, { ...one, ...again }])
})

test('whoever ends the application flushes the log, which says what it has counted', () => {
  const { log, lines } = capture(true)
  for (let at = 0; at < 5; at++) log.warn('Commits wait')
  expect(lines().match(/Commits wait/g)).toHaveLength(5)
  for (let at = 0; at < 5; at++) log.warn({ pool: 'read' }, 'Slow statement')
  log.flush()
  expect(lines()).toMatch(/^\S+ warn Slow statement {"pool":"read"}\n\S+ warn Slow .*"repeated":4/)
  log.flush()
  for (let at = 0; at < 5; at++) log.info({ by: 1 }, 'refused: FORBIDDEN')
  expect(lines().match(/refused: FORBIDDEN/g)).toHaveLength(5)
})
