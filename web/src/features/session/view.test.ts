import { minimumPasswordLength as contractMinimum } from '@dealdeck/contract/session'
import { describe, expect, test } from 'vitest'
import { toApiError } from '../../platform/api-error.ts'
import {
  credentials,
  findProblem,
  isComplete,
  minimumPasswordLength,
  signInProblem,
  signUpProblem,
} from './view.ts'

const filled = { username: ' Ada ', password: ' secret1 ', confirmation: 'secret1' }

test('the shortest password is the contract’s', () => {
  expect(minimumPasswordLength).toBe(contractMinimum)
})

test('names are trimmed and lowercased, passwords trimmed', () => {
  expect(credentials(filled)).toEqual({ username: 'ada', password: 'secret1' })
})

test('a form may be sent when no field of its mode is empty', () => {
  expect(isComplete('sign-in', { ...filled, confirmation: '' })).toBe(true)
  expect(isComplete('sign-up', { ...filled, confirmation: '' })).toBe(false)
  expect(isComplete('sign-up', filled)).toBe(true)
  expect(isComplete('sign-in', { ...filled, username: '' })).toBe(false)
  expect(isComplete('sign-in', { ...filled, username: '  ' })).toBe(false)
})

describe('before anything is sent', () => {
  test('blanks are not enough', () => {
    expect(findProblem('sign-in', { ...filled, username: '  ', password: ' ' })).toEqual({
      message: 'Username and password are required',
      fields: ['username', 'password'],
    })
  })

  test('both passwords must agree, spaces around them aside', () => {
    expect(findProblem('sign-up', filled)).toBeNull()
    expect(findProblem('sign-up', { ...filled, confirmation: 'secret2' })?.message).toBe(
      'Passwords do not match',
    )
  })

  test('a new password has a least length, an old one only has to be right', () => {
    const short = { ...filled, password: ' 12345 ', confirmation: '12345' }
    expect(findProblem('sign-up', short)?.message).toBe('Password must be at least 6 characters long')
    expect(findProblem('sign-in', short)).toBeNull()
  })
})

function refusal(status: number, code: string, message: string, fields?: Record<string, string>) {
  return toApiError(status, { code, message, fields })
}

describe('a failed sign-in', () => {
  test('shows the server’s words when it refused', () => {
    const denied = 'Invalid username or password. Access denied.'
    expect(signInProblem(refusal(401, 'INVALID_CREDENTIALS', denied)).message).toBe(denied)
    expect(signInProblem(refusal(429, 'TOO_MANY_REQUESTS', 'Please wait.')).message).toBe('Please wait.')
  })

  test('is a plain failure when the server or the way to it is broken', () => {
    const failed = { message: 'Login failed. Please try again.', fields: [] }
    expect(signInProblem(new TypeError('Failed to fetch'))).toEqual(failed)
    expect(signInProblem(refusal(500, 'INTERNAL', 'Something went wrong.'))).toEqual(failed)
    expect(signInProblem(toApiError(502, '<html>'))).toEqual(failed)
  })
})

describe('a failed sign-up', () => {
  test.each([
    'Username already exists. Please choose a different username.',
    'Registration is currently unavailable. Please contact administrator.',
    'Database not configured. Please contact administrator.',
  ])('says only: %s', (message) => {
    const code = message.startsWith('Username') ? 'USERNAME_TAKEN' : 'SIGNUP_CLOSED'
    expect(signUpProblem(refusal(403, code, message)).message).toBe(message)
  })

  test('names the field that the server refused', () => {
    const error = refusal(400, 'INVALID_INPUT', 'The input is not valid', { username: 'must be shorter' })
    expect(signUpProblem(error)).toEqual({ message: 'Sign up failed: must be shorter', fields: ['username'] })
  })

  test('otherwise says that it failed and why', () => {
    expect(signUpProblem(refusal(500, 'INTERNAL', 'Something broke.')).message).toBe(
      'Sign up failed: Something broke.',
    )
    expect(signUpProblem(new TypeError('Failed to fetch')).message).toBe(
      'Sign up failed: Please check your connection and try again.',
    )
  })
})
