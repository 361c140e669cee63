import { expect, test } from 'vitest'
import { errorMessage, toApiError } from './api-error.ts'

test('keeps the server’s code, words and fields', () => {
  const error = toApiError(400, {
    code: 'INVALID_INPUT',
    message: 'No.',
    fields: { price: 'must be an amount' },
  })
  expect(error).toMatchObject({ status: 400, code: 'INVALID_INPUT', message: 'No.' })
  expect(error.fields).toEqual({ price: 'must be an amount' })
})

test.each([null, 'a page of a proxy', { code: 7 }, { fields: 'x' }])('makes do with the body %j', (body) => {
  const error = toApiError(502, body)
  expect(error).toMatchObject({
    status: 502,
    code: 'INTERNAL',
    message: 'The server answered with status 502.',
  })
  expect(error.fields).toEqual({})
})

test('what is not an answer is the connection’s fault', () => {
  expect(errorMessage(new TypeError('Failed to fetch'))).toBe('Please check your connection and try again.')
})
