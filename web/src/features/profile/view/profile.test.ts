import { expect, test } from 'vitest'
import { tidyProfile } from '../view.ts'
import { displayName, longest, type Profile, parseProfile } from './profile.ts'

const empty: Profile = { username: 'una', email: '', firstName: '', lastName: '', bio: '', avatar: '' }

test.each([
  null,
  5,
  'text',
  [],
  { username: 7, email: {}, avatar: 'https://elsewhere.example/x.png' },
  { username: ' ' },
])('what was stored as %j is an empty profile', (stored) => {
  expect(parseProfile(stored, 'una')).toEqual(empty)
})

test('what was stored comes back, cut to its length', () => {
  const stored = { ...empty, firstName: 'Una', avatar: 'data:image/jpeg;base64,AAAA' }
  expect(parseProfile(stored, 'other')).toEqual(stored)
  expect(parseProfile({ bio: 'x'.repeat(9_999) }, 'una').bio).toHaveLength(longest.bio)
})

test('names are shown as given, without spaces around them', () => {
  expect(displayName(empty)).toBe('una')
  expect(displayName(tidyProfile({ ...empty, firstName: ' Una ', lastName: '' }))).toBe('Una')
  expect(displayName({ ...empty, firstName: 'Una', lastName: 'Berg' })).toBe('Una Berg')
})
