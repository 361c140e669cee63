import { expect, test } from 'vitest'
import { auditInput, deedOf, differences, isUnfiltered, noAuditFilters } from './view.ts'

test('days are the reader’s own, the last one included; what is empty or half typed is not asked', () => {
  expect(auditInput(noAuditFilters)).toEqual({})
  // Chosen and given up again.
  expect(isUnfiltered({ ...noAuditFilters, kind: '' })).toBe(true)
  expect(isUnfiltered({ ...noAuditFilters, from: '2026-05-01' })).toBe(false)
  // Kathmandu is 5:45 ahead.
  expect(auditInput({ ...noAuditFilters, kind: 'word', from: '2026-05-01', to: '2026-05-01' })).toEqual({
    ...{ kind: 'word', from: '2026-04-30T18:15:00.000Z', to: '2026-05-01T18:15:00.000Z' },
  })
  expect(auditInput({ ...noAuditFilters, from: '0002-05-01', to: 'x' })).toEqual({})
})

const number = (value: number) => value.toLocaleString('en-US')

test('only what differs is shown, and what was not there is nothing', () => {
  const before = { name: 'Acme', code: 'p_89:A', is_active: true, note: null }
  const after = { name: 'Acme', code: 'p_89:B', is_active: false, note: null }
  expect(differences({ before, after }, number)).toEqual([
    { field: 'code', before: 'p_89:A', after: 'p_89:B' },
    { field: 'is active', before: 'yes', after: 'no' },
  ])
  expect(differences({ before: null, after: { created: 0 } }, number)).toEqual([
    { field: 'created', before: null, after: '0' },
  ])
  // As the history of imports has it.
  expect(differences({ before: null, after: { superseded: 5579 } }, number)).toEqual([
    { field: 'overtaken by a later row', before: null, after: '5,579' },
  ])
  expect(differences({ before: null, after: null }, number)).toEqual([])
})

test('an action or a kind of a later version is shown as it is', () => {
  const entry = { id: 1, at: '', actor: { id: 1, username: 'ann' }, before: null, after: null }
  expect(deedOf({ ...entry, action: 'add', subject: { kind: 'ingest_token', id: 1, name: '' } })).toBe(
    'added import token',
  )
  expect(deedOf({ ...entry, action: 'approve', subject: { kind: 'held_row', id: 1, name: '' } })).toBe(
    'approved held rows of',
  )
  expect(deedOf({ ...entry, action: 'paint', subject: { kind: 'fence', id: 1, name: '' } })).toBe(
    'paint fence',
  )
})
