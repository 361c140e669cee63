import {
  type Delivery,
  type Destination,
  longestDestinationName as longestTaken,
} from '@dealdeck/contract/deliveries'
import { expect, test } from 'vitest'
import { ApiError } from '../../platform/api-error.ts'
import { changeOf, draftOf, longestDestinationName, problemsOf } from './view/draft.ts'
import { placeOf } from './view/place.ts'
import {
  isUntried,
  mayReplay,
  nameFor,
  nextStepOf,
  nextText,
  sentAgainText,
  stateText,
  whatOf,
} from './view.ts'

const delivery = (values: Partial<Delivery>) =>
  // As much of it as is read.
  ({ kind: 'deal', deals: [], deal_count: 1, ...values }) as Delivery

test('an address leads to what it says, and nonsense to the list', () => {
  expect(placeOf('new')).toEqual({ view: 'add', kind: '' })
  expect(placeOf('new-discord')).toEqual({ view: 'add', kind: 'discord' })
  expect(placeOf('7')).toEqual({ view: 'one', id: 7, isEdited: false })
  expect(placeOf('7-edit')).toEqual({ view: 'one', id: 7, isEdited: true })
  for (const nonsense of [undefined, '', 'x', '7-', 'newest', '-1', '7-edit-more'])
    expect(placeOf(nonsense)).toEqual({ view: 'list' })
})

test('a name may be as long as the server takes it, and no two are the same', () => {
  expect(longestDestinationName).toBe(longestTaken)
  expect(nameFor('Discord', ['discord', 'Discord 2'])).toBe('Discord 3')
})

test('of a destination only what differs is sent', () => {
  const kind = { fields: [] }
  // As much of it as is read.
  const stored = { name: 'Mugs', affiliate_tag: '', disclosure: '', settings: {} } as unknown as Destination
  const first = draftOf(kind, stored, '')
  expect(changeOf(stored, first, first, {})).toBeUndefined()
  expect(changeOf(stored, first, { ...first, name: ' Cups ', secrets: { url: 'x' } }, {})).toEqual({
    name: 'Cups',
    secrets: { url: 'x' },
  })
})

test('what is refused is said at its field, and else as one text', () => {
  // As much of it as is read.
  const field = { name: 'url' } as never
  const refused = (fields: Record<string, string>) =>
    new ApiError('INVALID', { status: 422, message: 'Something is not right.', data: { fields } })
  expect(problemsOf(refused({ 'secrets.url': 'must be an address' }), { fields: [field] })).toEqual({
    fields: { 'settings.url': 'Must be an address' },
    text: undefined,
  })
  expect(problemsOf(refused({ kind: 'can’t be used' }), { fields: [] })).toEqual({
    fields: {},
    text: 'Not saved. Something is not right. Can’t be used',
  })
  const denied = Object.assign(new Error('No.'), { name: 'DeviceRefusal' })
  expect(problemsOf(denied, { fields: [] }).text).toBe('Not saved. No.')
})

test('a row of the log says what it tells of, and is sent again where that makes sense', () => {
  const deals = [{ id: 1, asin: 'B0', title: 'Mug' }]
  const said = (values: Partial<Delivery>) => whatOf(delivery(values), String)
  expect(said({ deals })).toBe('Mug')
  expect(said({})).toBe('A deal that can no longer be seen')
  expect(said({ kind: 'list', deals })).toBe('Mug')
  expect(said({ kind: 'list', deal_count: 3 })).toBe('A list of 3 deals')
  expect(said({ kind: 'digest' })).toBe('A digest of 1 deal')
  expect(said({ kind: 'test', deals })).toBe('Test: Mug')
  const again = (values: Partial<Delivery>) => mayReplay(delivery({ can_replay: true, ...values }))
  expect(again({ state: 'dead' })).toBe(true)
  expect(again({ state: 'held' })).toBe(false)
  expect(again({ state: 'sent', kind: 'test' })).toBe(false)
  expect(again({ state: 'sent', can_replay: false })).toBe(false)
})

test('what is done next is said, by the clock today and by the day else', () => {
  const now = new Date(2026, 4, 1, 12).getTime()
  const said = (next_at: string | null, values: Partial<Delivery> = {}) =>
    nextText({ state: 'held', attempts: 0, ...values, next_at }, now, 'en-US')
  const [past, evening] = [new Date(now - 1).toISOString(), new Date(2026, 4, 1, 18, 5).toISOString()]
  expect(said(null)).toBeUndefined()
  expect(said(past)).toBe('to be sent now')
  expect(said(evening)).toMatch(/^to be sent at 6:05.PM$/)
  expect(said(evening, { state: 'queued', attempts: 1 })).toMatch(/^to be tried again at 6:05.PM$/)
  expect(said(evening, { state: 'sent', attempts: 1 })).toMatch(/^to be changed at 6:05.PM$/)
  expect(said(past, { state: 'edited' })).toBe('to be changed now')
  expect(said(new Date(2026, 4, 2, 7).toISOString())).toMatch(/^to be sent on Sat, May 2/)
})

test('why something waits and until when is one sentence', () => {
  expect(stateText('Quiet hours until 23:59.', 'to be sent at 11:59 PM')).toBe(
    'Quiet hours; to be sent at 11:59 PM',
  )
  expect(stateText('It waits.', 'to be sent now')).toBe('It waits; to be sent now')
  expect(stateText('It was sent.', undefined)).toBe('It was sent.')
  expect(stateText('', 'to be sent now')).toBe('To be sent now')
})

test('a destination works once something was sent to it', () => {
  expect(isUntried({ state: 'ok', last_sent_at: null })).toBe(true)
  expect(isUntried({ state: 'ok', last_sent_at: '2026-05-01T00:00:00Z' })).toBe(false)
  expect(isUntried({ state: 'failing', last_sent_at: null })).toBe(false)
})

test('what is not confirmed is confirmed by its link, or by a code', () => {
  const one = (values: Partial<Destination>, by: 'link' | 'code' = 'code') =>
    // As much of it as is read.
    nextStepOf({ state: 'unconfirmed', link: null, ...values } as Destination, by)
  expect(one({})).toBe('code')
  // Its code has run out, which nobody was sent.
  expect(one({}, 'link')).toBe('link')
  expect(one({ link: { code: 'A', url: null, expires_at: '' } })).toBe('link')
  expect(one({ state: 'ok' })).toBe('nothing')
})

test('that a message is sent again is said in words, also where the server gives no reason', () => {
  const lamp = { kind: 'deal', deals: [{ id: 1, asin: 'B0', title: 'Lamp' }], deal_count: 1 }
  const said = (reason: string) =>
    // As much of it as is read.
    sentAgainText({ ...lamp, reason } as Delivery, String)
  expect(said('')).toBe('It is sent again: Lamp')
  expect(said('Paused for a while.')).toBe('Paused for a while: Lamp')
})
