import { expect, test } from 'vitest'
import { toAppError } from './http-errors.ts'

/** An error as pg, Node or Fastify throw it. */
const thrown = (fields: object) => Object.assign(new Error('what the caller must not read'), fields)

test.each([
  ['a full disk', { code: '53100', severity: 'ERROR' }, 'DATABASE_UNAVAILABLE', /no room left on its disk/],
  ['a lost database', { code: 'ECONNRESET' }, 'DATABASE_UNAVAILABLE', /can not be reached/],
  // Fastify marks what went wrong with the body with a status: no fault of ours, and nothing for the log.
  [
    'a caller who goes away',
    { code: 'ECONNRESET', statusCode: 400 },
    'INVALID_INPUT',
    /could not be understood/,
  ],
  ['the unknown', {}, 'INTERNAL', /^Something went wrong/],
])('%s is told from everything else', (_what, fields, code, message) => {
  expect(toAppError(thrown(fields))).toMatchObject({ code, message: expect.stringMatching(message) })
})
