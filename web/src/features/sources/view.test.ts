import type { Source, SourceRun } from '@dealdeck/contract/sources'
import { expect, test } from 'vitest'
import {
  barsOf,
  barsText,
  countsOf,
  durationOf,
  inOrder,
  lastResultOf,
  lookOf,
  nextRunOf,
  placeOf,
  progressText,
  readEvent,
  summaryOf,
  withLocalTimes,
} from './view.ts'

const run: SourceRun = {
  ...{
    id: 1,
    state: 'done',
    started_at: '2026-05-01T10:00:00.000Z',
    finished_at: '2026-05-01T10:00:03.200Z',
  },
  ...{
    received: 34,
    created: 3,
    updated: 0,
    unchanged: 30,
    rejected: 0,
    held: 1,
    refused_before: 0,
    ended: 0,
  },
  ...{ text: null, notes: [], cost: null, import_ids: [] },
}

const source = (name: string, values: Partial<Source> = {}): Source => ({
  ...{ id: 1, kind: 'feed', name, settings: {}, secrets: [], interval_from: 15, interval_to: 1440 },
  ...{ keeps_history: true, may_leave: { price: true, picture: true, title: true }, is_paused: false },
  ...{
    trusted_rules: [],
    refused_rules: [],
    state: 'ok',
    state_text: '',
    failing_since: null,
    next_run_at: null,
  },
  ...{ last_run_at: null, last_success_at: null, is_silent: false, last_run: run, held: 0, new_per_day: [] },
  ...{ created_at: '', updated_at: '', ...values },
})

const number = (value: number) => value.toLocaleString('en-US')
const now = Date.parse('2026-05-01T12:00:00Z')

test.each([
  [undefined, { view: 'list' }],
  ['new', { view: 'add', kind: undefined }],
  ['new-feed', { view: 'add', kind: 'feed' }],
  ['12', { view: 'source', id: 12, isEdited: false }],
  ['12-edit', { view: 'source', id: 12, isEdited: true }],
  ['12-paint', { view: 'list' }],
  ['-1', { view: 'list' }],
] as const)('the address’s source %s is %o', (text, place) => {
  expect(placeOf(text)).toEqual(place)
})

test('a source that is asked again while it fails is still failing, and silence shows where all seems well', () => {
  expect(lookOf(source('a', { state: 'running' }))).toBe('running')
  expect(lookOf(source('a', { state: 'running', failing_since: 'x' }))).toBe('failing')
  expect(lookOf(source('a', { is_silent: true }))).toBe('silent')
  expect(lookOf(source('a', { is_silent: true, state: 'failing' }))).toBe('failing')
  expect(lookOf(source('a', { state: 'failing', is_paused: true }))).toBe('paused')
})

test('those that need somebody come first, paused ones last, and one that runs stays where it is', () => {
  const sources = [
    source('b'),
    source('z', { state: 'failing' }),
    source('paused', { is_paused: true }),
    source('c', { is_silent: true }),
    source('a', { state: 'running' }),
  ]
  expect(inOrder(sources).map(({ name }) => name)).toEqual(['z', 'c', 'a', 'b', 'paused'])
})

test('one line says whether all is well', () => {
  const [ok, failing, paused] = [
    source('a'),
    source('b', { state: 'failing' }),
    source('c', { is_paused: true }),
  ]
  expect([[ok], [ok, ok, paused], [paused], [paused, paused]].map((all) => summaryOf(all, number))).toEqual(
    ['The source runs', 'All 2 sources run, 1 paused', 'The source is paused', 'All are paused'].map(
      (text) => ({
        isWell: true,
        text,
      }),
    ),
  )
  const waiting = source('w', { state: 'waiting' })
  expect(
    [[ok, ok, waiting, paused], [ok, waiting, waiting], [waiting], [waiting, waiting]].map(
      (all) => summaryOf(all, number).text,
    ),
  ).toEqual([
    '2 of 3 sources run, 1 waits, 1 paused',
    '1 of 3 sources run, 2 wait',
    'The source waits',
    'All 2 sources wait',
  ])
  const silent = source('d', { is_silent: true })
  expect(summaryOf([ok, failing, failing, silent, paused], number)).toEqual({
    isWell: false,
    text: '3 of 5 need you: 2 failing, 1 silent; 1 paused',
  })
  expect(summaryOf([failing], number).text).toBe('The source needs you: 1 failing')
})

test.each([
  [{ next_run_at: '2026-05-01T12:12:00Z' }, 'in 12 min'],
  [{ next_run_at: '2026-05-01T11:00:00Z' }, 'now'],
  [{ next_run_at: '2026-05-01T15:10:00Z' }, 'in 3 h'],
  [{ next_run_at: '2026-05-04T12:00:00Z' }, 'in 3 days'],
  [{ next_run_at: null }, 'Not planned'],
  [{ is_paused: true, next_run_at: '2026-05-01T12:12:00Z' }, 'Paused'],
  [{ state: 'running' as const }, 'now'],
])('with %o the next run is %s', (values, text) => {
  expect(nextRunOf(source('a', values), now)).toBe(text)
})

test('a result names what there is to tell of and nothing else', () => {
  expect(countsOf(run, number)).toBe('34 rows, 3 new, 1 held')
  const busy = { received: 1, updated: 2, rejected: 4, refused_before: 1_000, ended: 5, created: 0, held: 0 }
  expect(countsOf({ ...run, ...busy }, number)).toBe(
    '1 row, 2 changed, 5 ended, 4 refused, 1,000 left out as refused before',
  )
  expect(lastResultOf(null, number)).toBe('Nothing yet')
  expect(lastResultOf({ ...run, state: 'failed' }, number)).toBe('Failed')
  expect(lastResultOf({ ...run, state: 'unchanged' }, number)).toBe('Nothing changed')
})

test('how long a run took is said as exactly as it matters', () => {
  const ended = (finished_at: string | null) => durationOf({ ...run, finished_at })
  expect([
    ended('2026-05-01T10:00:03.200Z'),
    ended('2026-05-01T10:00:42Z'),
    ended('2026-05-01T10:07:00Z'),
  ]).toEqual(['3.2 s', '42 s', '7 min'])
  expect(ended(null)).toBe('')
})

test('the bars of days are as high as the most, and a day with one deal is seen', () => {
  expect(barsOf([0, 1, 1000])).toBe('M0 24v-1h5v1zM6 24v-2h5v2zM12 24v-24h5v24z')
  expect(barsText([0, 2, 10], number)).toBe('12 new deals in 3 days, 10 today, at most 10 a day')
  expect(barsText([0, 0], number)).toBe('No new deals in 2 days')
})

test('an event says how far a run is, and what makes no sense is nothing', () => {
  const progress = { phase: 'reading' as const, rows: 120 }
  expect(readEvent({ source_id: 3, progress })).toEqual({ id: 3, progress })
  expect(readEvent({ source_id: 3, progress: { phase: 'dancing', rows: 1 } })).toEqual({
    id: 3,
    progress: null,
  })
  expect([readEvent(null), readEvent({ source_id: 'x' })]).toEqual([null, null])
  expect(progressText(progress, number)).toBe('Reading, 120 rows so far …')
  expect(progressText({ phase: 'storing', rows: 1 }, number)).toBe('Storing 1 row …')
})

test('times of a sentence are those of the clock here', () => {
  const now = Date.parse('2026-05-04T12:00:00Z')
  const said = (text: string) => withLocalTimes(text, 'en-US', now)
  // The tests' own zone is 5:45 ahead.
  expect(said('Waits for tokens until 2026-05-04T12:20Z. It is asked again at 2026-05-04T18:20Z.')).toMatch(
    /^Waits for tokens until 6:05.PM\. It is asked again at May 5, 2026, 12:05.AM\.$/,
  )
  expect(said('Nothing of time.')).toBe('Nothing of time.')
})
