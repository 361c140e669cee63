import { minimumPasswordLength } from '@dealdeck/contract/session'
import { expect, test } from 'vitest'
import { toApiError } from '../../platform/api-error.ts'
import type { Profile } from './view/profile.ts'
import {
  endedLine,
  isHandheld,
  mergeProfile,
  parseMaxPrice,
  passwordProblem,
  passwordRefusal,
  profileProblems,
  shortestPassword,
  shownLine,
} from './view.ts'

const empty: Profile = { username: 'una', email: '', firstName: '', lastName: '', bio: '', avatar: '' }

test('a name is needed, an address must look like one', () => {
  expect(profileProblems(empty)).toEqual({})
  expect(Object.keys(profileProblems({ ...empty, username: '  ', email: 'una' }))).toEqual([
    'username',
    'email',
  ])
  for (const email of ['a@b', 'a b@c.d', '@b.c', 'a@b..c', 'a@b.c.'])
    expect([email, Object.keys(profileProblems({ ...empty, email }))]).toEqual([email, ['email']])
  expect(profileProblems({ ...empty, email: ' una@mail.example.com ' })).toEqual({})
})

test('what another tab saved while the form was open stays, unless the form says otherwise', () => {
  const [opened, here] = [
    { ...empty, firstName: 'Una' },
    { ...empty, firstName: 'Una', bio: 'Likes lamps' },
  ]
  const elsewhere = { ...opened, email: 'una@example.com', bio: 'Likes watches' }
  expect(mergeProfile(opened, here, elsewhere)).toEqual({ ...elsewhere, bio: 'Likes lamps' })
  expect(mergeProfile(opened, { ...opened, firstName: '' }, elsewhere)).toEqual({
    ...elsewhere,
    firstName: '',
  })
  expect(mergeProfile(opened, here, opened)).toEqual(here)
})

test('the highest price is from 1 to 1000', () => {
  expect(['1', '1000', '1,000', ' 12,5 ', '30.25'].map(parseMaxPrice)).toEqual([1, 1000, 1000, 12.5, 30.25])
  for (const text of ['', '0', '0.99', '1000.01', '-5', '1e3', 'many', '10.005', '10.0050'])
    expect([text, parseMaxPrice(text)]).toEqual([text, null])
})

test('a new password is checked before it is sent', () => {
  expect(shortestPassword).toBe(minimumPasswordLength)
  const good = { current: 'old one', next: 'new one', confirmation: ' new one ' }
  expect(passwordProblem(good)).toBeNull()
  expect(passwordProblem({ ...good, current: ' ', next: '' })?.fields).toEqual(['current', 'next'])
  expect(passwordProblem({ ...good, next: '12345' })?.message).toBe(
    'Password must be at least 6 characters long',
  )
  expect(passwordProblem({ ...good, confirmation: 'other' })).toEqual({
    message: 'Passwords do not match',
    fields: ['confirmation'],
  })
})

test('a refused password is tied to its field, a failure says so', () => {
  const message = 'This is not your current password'
  const refusal = toApiError(422, { code: 'UNPROCESSABLE', message, fields: { current_password: message } })
  expect(passwordRefusal(refusal)).toEqual({ message, fields: ['current'] })
  expect(passwordRefusal(new TypeError('Failed to fetch')).message).toBe(
    'The password is not changed. Please check your connection and try again.',
  )
})

test('devices and counts read well', () => {
  expect(['Safari on iPhone', 'Chrome on Android', 'Firefox on Linux'].map(isHandheld)).toEqual([
    true,
    true,
    false,
  ])
  expect([0, 1, 3].map((ended) => endedLine(ended, String))).toEqual([
    'There was no other session',
    'Signed out of 1 other session',
    'Signed out of 3 other sessions',
  ])
  expect(shownLine(20, 2610, String)).toBe('Showing 20 of 2610 sessions')
})
