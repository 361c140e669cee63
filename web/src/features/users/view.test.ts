import { minimumPasswordLength } from '@dealdeck/contract/session'
import type { UserRecord } from '@dealdeck/contract/users'
import { expect, test } from 'vitest'
import { toApiError } from '../../platform/api-error.ts'
import {
  badgesOf,
  changesOf,
  countLine,
  failureLine,
  findProblem,
  formProblem,
  isOutdated,
  isUnfiltered,
  listInput,
  noFilters,
  sessionsLine,
  shortestPassword,
} from './view.ts'

const user: UserRecord = {
  id: 1,
  username: 'nora',
  role: 'user',
  status: 'approved',
  is_active: true,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  last_sign_in_at: null,
  live_sessions: 0,
}
const number = (value: number) => value.toLocaleString('en-US')

test('the shortest password is the contract’s', () => {
  expect(shortestPassword).toBe(minimumPasswordLength)
})

test('only what is asked for is asked of the server', () => {
  expect(listInput(noFilters)).toEqual({})
  expect(isUnfiltered(noFilters)).toBe(true)
  const filters = { search: 'no', role: 'admin', status: 'pending', active: false } as const
  expect(listInput(filters)).toEqual({ search: 'no', role: 'admin', status: 'pending', is_active: false })
  expect(isUnfiltered({ ...noFilters, active: false })).toBe(false)
})

test('counts read well', () => {
  expect([1, 5000].map((total) => countLine(total, false, number))).toEqual(['1 user', '5,000 users'])
  expect([0, 1, 12].map((total) => countLine(total, true, number))).toEqual([
    '0 users match',
    '1 user matches',
    '12 users match',
  ])
  expect([0, 1, 3].map((count) => sessionsLine(count, number))).toEqual([
    'No live session',
    '1 live session',
    '3 live sessions',
  ])
})

test('badges say what is out of the ordinary', () => {
  const texts = (given: Partial<UserRecord>) => badgesOf({ ...user, ...given }).map(({ text }) => text)
  expect(texts({})).toEqual([])
  expect(texts({ role: 'admin', status: 'pending', is_active: false })).toEqual([
    'Pending',
    'Inactive',
    'Admin',
  ])
  expect(texts({ status: 'rejected' })).toEqual(['Rejected'])
})

test('a new account needs a name and a password, an old one keeps what is left empty', () => {
  const fields = { username: ' ', password: ' ', role: 'user' } as const
  expect(findProblem(fields, true)).toEqual({
    message: 'Username and password are required',
    fields: ['username', 'password'],
  })
  expect(findProblem({ ...fields, username: 'nora' }, true)?.fields).toEqual(['password'])
  expect(findProblem({ ...fields, username: 'nora' }, false)).toBeNull()
  expect(findProblem(fields, false)?.fields).toEqual(['username'])
  expect(findProblem({ ...fields, username: 'nora', password: '12345' }, false)?.message).toBe(
    'Password must be at least 6 characters long',
  )
})

test('an edit sends only what differs', () => {
  expect(changesOf(user, { username: ' NORA ', password: ' ', role: 'user' })).toBeNull()
  expect(changesOf(user, { username: 'Nils', password: ' secret1 ', role: 'admin' })).toEqual({
    username: 'nils',
    password: 'secret1',
    role: 'admin',
  })
})

test('a refusal has its own words, a failure says what failed', () => {
  const taken = 'Failed to update user - username may already exist'
  const refusal = toApiError(409, { code: 'USERNAME_TAKEN', message: taken, fields: { username: taken } })
  expect(formProblem(refusal)).toEqual({ message: taken, fields: ['username'] })
  expect(failureLine('Failed to update user', refusal)).toBe(taken)
  expect(failureLine('Failed to delete user', new TypeError('Failed to fetch'))).toBe(
    'Failed to delete user. Please check your connection and try again.',
  )
  expect(formProblem(new TypeError('Failed to fetch')).message).toMatch(/^An error occurred/)
  expect(formProblem(toApiError(503, { code: 'X', message: 'No database.' })).message).toBe(
    'An error occurred. No database.',
  )
  const conflict = { code: 'CONFLICT', message: 'Somebody else', fields: { expected_updated_at: 'x' } }
  expect([refusal, toApiError(409, conflict), toApiError(404, {})].map(isOutdated)).toEqual([
    false,
    true,
    true,
  ])
})
