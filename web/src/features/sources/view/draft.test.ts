import type { SettingField } from '@dealdeck/contract/setting-fields'
import { type KindDescription, longestSourceName, type Source } from '@dealdeck/contract/sources'
import { expect, test } from 'vitest'
import { settingsOf } from '../../../ui/typed-settings.ts'
import { changeOf, draftOf, inputOf, longestName, nameFor, pauseChoices, withKind } from './draft.ts'

const field = (
  name: string,
  type: SettingField['type'],
  values: Partial<SettingField> = {},
): SettingField => ({
  ...{ name, type, label: name, help: null, is_required: false, is_advanced: false, initial: null },
  ...{ choices: [], least: null, most: null, unit: null, ...values },
})

const kind: KindDescription = {
  ...{ kind: 'address', label: 'Address', help: '', allows_history: true },
  fields: [
    field('url', 'url', { is_required: true, initial: '' }),
    field('availability', 'text', { initial: 'In stock' }),
    field('wait', 'number', { least: 1, most: 60, unit: 'seconds' }),
    field('lists_all', 'switch', { initial: false }),
    field('words', 'list'),
    field('order', 'choice'),
    field('key', 'secret', { is_required: true }),
  ],
}

const source: Source = {
  ...{
    id: 7,
    kind: 'address',
    name: 'Mugs',
    settings: { url: 'https://mugs.example/a.json' },
    secrets: ['key'],
  },
  ...{
    interval_from: 15,
    interval_to: 1440,
    keeps_history: true,
    is_paused: false,
    trusted_rules: ['title'],
    refused_rules: ['currency', 'price_low'],
  },
  ...{ may_leave: { price: true, picture: true, title: true }, state: 'ok', state_text: '', held: 0 },
  ...{ failing_since: null, next_run_at: null, last_run_at: null, last_success_at: null, is_silent: false },
  ...{ last_run: null, new_per_day: [], created_at: '', updated_at: '2026-05-01T00:00:00.000Z' },
}

test('a form is sent as its fields mean it', () => {
  const draft = draftOf(kind)
  draft.settings = { ...draft.settings, url: ' https://a.example ', wait: '2,5', words: 'mug\n\n cup ' }
  draft.secrets = { key: 'open sesame' }
  const { settings, problems } = settingsOf(kind.fields, draft)
  expect(problems).toEqual({})
  expect(settings).toEqual({
    ...{ url: 'https://a.example', availability: 'In stock', wait: 2.5, lists_all: false },
    ...{ words: ['mug', 'cup'], order: null },
  })
  expect(inputOf({ ...draft, name: ' A ' }, settings)).toMatchObject({
    ...{ name: 'A', kind: 'address', secrets: { key: 'open sesame' }, interval_from: 15 },
  })
  // Empty says something of a text.
  expect(
    settingsOf(kind.fields, { ...draft, settings: { ...draft.settings, availability: '' } }).settings,
  ).toMatchObject({
    availability: '',
  })
  const waitOf = (wait: string) =>
    settingsOf(kind.fields, { ...draft, settings: { ...draft.settings, wait } }).settings.wait
  expect(['1,000', '1.250,5', '1.125'].map(waitOf)).toEqual([1000, 1250.5, 1.125])
})

test('what can’t be sent is said by field', () => {
  const draft = draftOf(kind)
  const problemsOf = (wait: string, stored: string[] = []) =>
    settingsOf(kind.fields, { ...draft, settings: { ...draft.settings, wait } }, stored).problems
  const empty = 'Please fill this in'
  expect(problemsOf('soon')).toEqual({
    'settings.url': empty,
    'settings.wait': 'Please type a number',
    'settings.key': empty,
  })
  expect(problemsOf('0', ['key'])).toEqual({ 'settings.url': empty, 'settings.wait': 'At least 1 seconds' })
  expect(problemsOf('61', ['key'])).toMatchObject({ 'settings.wait': 'At most 60 seconds' })
  const removed = settingsOf(kind.fields, { ...draft, secrets: { key: '' } }, ['key'])
  expect(removed.problems).toMatchObject({ 'settings.key': empty })
})

test('of a source only what differs is sent, and a stored secret stays unless it is named', () => {
  const draft = draftOf(kind, source)
  const change = (part: Partial<typeof draft>) => {
    const next = { ...draft, ...part }
    return changeOf(source, kind, next, settingsOf(kind.fields, next, source.secrets).settings)
  }
  expect(change({})).toBeUndefined()
  expect(change({ name: 'Mugs ' })).toBeUndefined()
  expect(change({ name: 'Cups', interval_from: 30 })).toEqual({ name: 'Cups', interval_from: 30 })
  expect(change({ secrets: { key: '' } })).toEqual({ secrets: { key: '' } })
  expect(change({ trusted_rules: [] })).toEqual({ trusted_rules: [] })
  expect(change({ refused_rules: ['currency'] })).toEqual({ refused_rules: ['currency'] })
  expect(change({ settings: { ...draft.settings, url: 'https://b.example' } })).toMatchObject({
    settings: { url: 'https://b.example', availability: 'In stock' },
  })
})

test('a name is proposed from the address, and no other source has it', () => {
  const draft = draftOf(kind)
  const named = (url: string, ...taken: string[]) =>
    nameFor({ ...draft, settings: { ...draft.settings, url } }, kind, taken)
  expect(named('https://www.mugs.example/deals.json')).toBe('mugs.example')
  expect(named('mugs.example/feed')).toBe('mugs.example')
  expect(named('https://mugs.example', 'Mugs.Example', 'mugs.example 2')).toBe('mugs.example 3')
  expect(named('https://mugs.example/lists/lamps%20a.xml', 'mugs.example')).toBe('mugs.example lamps a.xml')
  expect(named('https://mugs.example/a%ff/', 'mugs.example', 'mugs.example a%ff')).toBe('mugs.example 2')
  expect([named(''), named('mugs'), named('https://')]).toEqual(['', '', ''])
  const service = { ...kind, label: 'Keepa', fields: [] }
  expect(nameFor(draftOf(service), service, [])).toBe('Keepa')
})

test('another kind keeps what both ask for', () => {
  const draft = draftOf(kind)
  draft.settings = { ...draft.settings, url: 'https://a.example', wait: '9' }
  const feed: KindDescription = {
    ...kind,
    kind: 'feed',
    fields: [field('url', 'url'), field('wait', 'switch')],
  }
  expect(withKind(draft, feed)).toMatchObject({
    kind: 'feed',
    settings: { url: 'https://a.example', wait: false },
  })
})

test('pauses to choose from include the one that is set', () => {
  expect(pauseChoices(45).map(({ value }) => value)).toContain('45')
  expect(pauseChoices(15).map(({ label }) => label)).toEqual([
    ...['5 minutes', '10 minutes', '15 minutes', '30 minutes', '1 hour', '2 hours', '3 hours', '6 hours'],
    ...['12 hours', '24 hours'],
  ])
})

test('a name may be as long as the server takes it', () => {
  expect(longestName).toBe(longestSourceName)
})
