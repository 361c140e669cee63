import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'

/** A log whose lines can be read back; `isTTY` decides their form. */
function capture(isTTY: boolean) {
  const stream = new PassThrough()
  const lines = () => String(stream.read() ?? '')
  // Only `isTTY` and `write` of a terminal's stream are used.
  const output = Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream
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
