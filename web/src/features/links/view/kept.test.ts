import {
  longestPresetName as longestTaken,
  maximumItems,
  memberItemInputSchema,
  mergeInputSchema,
} from '@dealdeck/contract/me'
import { expect, test } from 'vitest'
import { emptySetup, paramsOf, setupOf } from '../view.ts'
import {
  countWords,
  customFiltersOf,
  inBodies,
  longestPresetName,
  parseDeviceEntries,
  presetsOf,
  readCopy,
  readTakenNote,
  sumUp,
  toItems,
} from './kept.ts'

const at = { updated_at: '2026-05-01T00:00:00.000Z' }
const preset = (id: number, name: string) =>
  ({ id, ...at, kind: 'link_preset', value: { name, search: { q: 'lamp' } } }) as const
const filter = (id: number, name: string) =>
  ({ id, ...at, kind: 'link_filter', value: { name, code: 'p_72:1' } }) as const

test('presets and filters come by name, numbers as numbers', () => {
  const items = [preset(1, 'Lamps 40'), filter(2, 'b'), preset(3, 'lamps 5'), filter(4, 'A'), preset(5, 'a')]
  expect(presetsOf(items).map(({ id }) => id)).toEqual([5, 3, 1])
  expect(customFiltersOf(items).map(({ id }) => id)).toEqual([4, 2])
})

test('the copy on the device is read by its owner only, and only what makes sense', () => {
  const stored = {
    user_id: 7,
    items: [preset(1, 'Lamps'), filter(2, 'Stars'), { ...preset(3, 'x'), value: {} }, null, { kind: 'deal' }],
  }
  expect(readCopy(stored, 7)).toEqual([preset(1, 'Lamps'), filter(2, 'Stars')])
  expect(readCopy(stored, 8)).toBeUndefined()
  for (const nonsense of [null, 'x', [], { user_id: 7 }]) expect(readCopy(nonsense, 7)).toBeUndefined()
})

test('what is no preset or custom filter on the device is left out', () => {
  const presets = [null, 5, { name: '' }, { name: 'A' }, { name: 'B', search: { q: 'x', brand: 'Alpha' } }]
  const filters = [{ name: 'A', code: 'p_8:50-', x: 1 }, { name: 'B' }, 'C']
  expect(parseDeviceEntries({ presets, filters })).toEqual({
    presets: [{ name: 'B', search: { ...paramsOf(emptySetup), q: 'x', brand: ['Alpha'] } }],
    filters: [{ name: 'A', code: 'p_8:50-' }],
  })
  expect(parseDeviceEntries({ presets: 'nonsense', filters: null })).toEqual({ presets: [], filters: [] })
})

test('whatever an earlier version could keep fits what the account takes', () => {
  const set = setupOf({
    q: ' desk lamp ',
    price: '5..19.99',
    brand: ['Acme', '*', '🔦'.repeat(100)],
    sort: ['Cheapest first'],
    with: [`${'%25'.repeat(66)}:${'c'.repeat(2_000)}`],
  })
  const presets = [{ name: ` ${'n'.repeat(79)}😀 \u0007`, search: paramsOf(set) }]
  const items = toItems({ presets, filters: [{ name: '\u0007', code: 'p_72:1' }] })
  for (const item of items) {
    const { success, error } = memberItemInputSchema.safeParse(JSON.parse(JSON.stringify(item)))
    expect([success, error]).toEqual([true, undefined])
  }
  expect(longestPresetName).toBe(longestTaken)
})

test('entries travel in bodies that the server takes, in their order', () => {
  const large = Array.from({ length: 8 }, (_, index) => ({
    kind: 'link_preset' as const,
    value: { name: String(index), search: { q: 'ü'.repeat(12_000) } },
  }))
  const groups = inBodies(large)
  expect(groups.flat()).toEqual(large)
  expect(groups.map(({ length }) => length)).toEqual([2, 2, 2, 2])
  const small = Array.from({ length: maximumItems + 1 }, (_, index) => ({
    kind: 'link_filter' as const,
    value: { name: String(index), code: 'p_72:1' },
  }))
  for (const items of [...groups, ...inBodies(small)]) {
    expect(Buffer.byteLength(JSON.stringify({ items }))).toBeLessThan(64 * 1024)
    expect(mergeInputSchema.safeParse({ items }).success).toBe(true)
  }
  expect(inBodies(small).map(({ length }) => length)).toEqual([100, 1])
  expect(inBodies([])).toEqual([])
})

test('what the account did not take is left, with the reason', () => {
  const search = paramsOf(emptySetup)
  const presets = ['a', 'b', 'c'].map((name) => ({ name, search }))
  const filters = ['d', 'e'].map((name) => ({ name, code: name }))
  const [added, known] = [{ result: 'added' as const }, { result: 'known' as const }]
  const refused = { result: 'refused' as const, message: 'No room.' }
  expect(sumUp({ presets, filters }, [added, known, refused, added, refused])).toEqual({
    ...{ presets: 1, filters: 1, reason: 'No room.' },
    left: { presets: [{ name: 'c', search }], filters: [{ name: 'e', code: 'e' }] },
  })
})

test('counts are said in words, and the note is read or none', () => {
  expect([countWords(0, 0), countWords(1, 0), countWords(0, 2), countWords(3, 1)]).toEqual([
    ...['', '1 preset', '2 custom filters', '3 presets and 1 custom filter'],
  ])
  expect(readTakenNote({ user_id: 1, presets: 2, filters: 3 })).toEqual({
    ...{ user_id: 1, presets: 2, filters: 3 },
  })
  for (const nonsense of [null, 'x', { user_id: '1' }]) expect(readTakenNote(nonsense)).toBeNull()
})
