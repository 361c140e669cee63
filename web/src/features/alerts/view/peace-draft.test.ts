import type { Peace } from '@dealdeck/contract/alerts'
import { expect, test } from 'vitest'
import { changeOf, draftOf } from './peace-draft.ts'

const peace: Peace = {
  ...{ time_zone: 'Europe/Berlin', follows_device: true, quiet_from: '22:00', quiet_to: '07:00' },
  ...{ most_an_hour: 20, most_at_once: 5, digest_at: '08:00', digest_weekday: 1, paused_until: null },
}

test('a form saves what was changed in it, and leaves what another device has changed meanwhile', () => {
  const draft = draftOf(peace, false)
  expect(changeOf(draft, peace, 'Europe/Berlin')).toEqual({})
  for (const [typed, most_an_hour] of Object.entries({ 7: 7, '1,000': 1000 }))
    expect(changeOf({ ...draft, most_an_hour: typed }, peace, 'Europe/Berlin')).toEqual({ most_an_hour })
})

test('what belongs together is saved together', () => {
  const draft = draftOf(peace, false)
  expect(changeOf({ ...draft, quiet_to: '06:00' }, peace, 'Europe/Berlin')).toEqual({
    ...{ quiet_from: '22:00', quiet_to: '06:00' },
  })
  expect(changeOf({ ...draft, isQuiet: false }, peace, 'Europe/Berlin')).toEqual({
    ...{ quiet_from: null, quiet_to: null },
  })
  expect(changeOf(draft, peace, 'Asia/Tokyo')).toEqual({ follows_device: true, time_zone: 'Asia/Tokyo' })
  // A group has no device to follow.
  expect(changeOf(draftOf(peace, true), peace, 'Asia/Tokyo')).toEqual({
    ...{ follows_device: false, time_zone: 'Europe/Berlin' },
  })
})
