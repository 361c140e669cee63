import type { Filter, FilterCategory } from '@dealdeck/marketplace/filters'
import { defaultParseSearch } from '@tanstack/react-router'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringifySearch } from '../../app/search-text.ts'
import {
  emptySetup,
  inOrder,
  isTooLong,
  linkParamsSchema,
  linkQueryOf,
  optionsOf,
  paramsOf,
  readAmount,
  resolveSetup,
  type Setup,
  setupOf,
  setupOfQuery,
  toggle,
  withoutMissing,
} from './view.ts'

const filter = (name: string, code: string, category: FilterCategory = 'brands'): Filter => ({
  category,
  name,
  code,
})
const options = optionsOf([
  filter('zeta', 'p_89:zeta'),
  filter('Alpha', 'p_89:Alpha'),
  filter('100% off or more', 'p_8:100-', 'percent_off'),
  filter('50% off or more', 'p_8:50-', 'percent_off'),
  filter('Garden', 'n:1', 'departments'),
  filter('Cheapest', 's=price-asc-rank', 'sort_by'),
])

const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((text) => text.trim() !== '')
const tricky = fc.constantFrom(
  '*',
  '**',
  '1',
  '1e3',
  '007',
  'true',
  '["a"]',
  'a, b & c',
  '%25',
  'a%3Ab',
  '=',
  '"',
)
const name = fc.oneof(words, tricky)
const amount = fc.option(fc.integer({ min: 0, max: 9_999_999_999 }).map((cents) => cents / 100))
const trimmedName = name.map((text) => text.trim())
const chosen = fc.oneof(fc.uniqueArray(name, { maxLength: 8 }), fc.constant('all' as const))
const setups: fc.Arbitrary<Setup> = fc.record({
  keyword: fc.oneof(fc.constant(''), name),
  price: fc.option(fc.record({ min: amount, max: amount })),
  chosen: fc.record({
    brands: chosen,
    deals: chosen,
    percent_off: chosen,
    departments: chosen,
    sold_by: chosen,
    sort_by: fc.uniqueArray(name, { maxLength: 1 }),
  }),
  custom: fc.uniqueArray(fc.record({ name: trimmedName, code: trimmedName }), {
    selector: (custom) => `${custom.name}\n${custom.code}`,
    maxLength: 4,
  }),
})

test('every set-up survives the way through the address', () => {
  fc.assert(
    fc.property(setups, (setup) => {
      const text = stringifySearch(paramsOf(setup))
      expect(setupOf(linkParamsSchema.parse(defaultParseSearch(text)))).toEqual(setup)
    }),
    { seed: 3, numRuns: 3_000 },
  )
})

test('an address is short and can be read', () => {
  const text = stringifySearch(
    paramsOf({
      keyword: 'phone case',
      price: { min: 5, max: 19.99 },
      chosen: {
        ...emptySetup.chosen,
        brands: ['Apple', 'Sony'],
        departments: 'all',
        sort_by: ['Low to High'],
      },
      custom: [{ name: 'Four stars', code: 'p_72:1' }],
    }),
  )
  expect(text).toBe(
    '?q=phone+case&price=5..19.99&brand=Apple&brand=Sony&in=*&sort=Low+to+High&with=Four+stars%3Ap_72%3A1',
  )
})

test('what makes no sense in an address is left out', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('q', 'price', 'brand', 'sort', 'with'), fc.jsonValue()),
      (raw) => {
        const read = linkParamsSchema.parse(raw)
        expect(linkParamsSchema.parse(read)).toEqual(read)
      },
    ),
    { seed: 3, numRuns: 2_000 },
  )
  expect(setupOf({ price: '5-30', brand: [null, {}, ' '], sort: ['a', 'b'], with: ['code', ':'] })).toEqual({
    ...emptySetup,
    chosen: { ...emptySetup.chosen, sort_by: ['b'] },
  })
  expect(setupOf({ price: '..' }).price).toEqual({ min: null, max: null })
  expect(setupOf({ sort: '*' }).chosen.sort_by).toEqual([])
})

test('filters stand by name, numbers by their value', () => {
  expect(inOrder(options.brands).map(({ name }) => name)).toEqual(['Alpha', 'zeta'])
  expect(inOrder(options.percent_off).map(({ name }) => name)).toEqual([
    '50% off or more',
    '100% off or more',
  ])
})

test('chosen names are found in any case, and those that are gone are told', () => {
  const setup = setupOf({ brand: ['ALPHA', 'Gone', 'alpha'], in: '*', q: 'lamp', price: '5..' })
  const { picked, missing } = resolveSetup(setup, options)
  expect(linkQueryOf(setup, picked)).toEqual({
    keyword: 'lamp',
    minPrice: 5,
    maxPrice: null,
    filters: {
      ...{ brands: [{ name: 'Alpha', code: 'p_89:Alpha' }], deals: [], percent_off: [] },
      ...{ departments: [{ name: 'Garden', code: 'n:1' }], sold_by: [], sort_by: [] },
    },
    custom: [],
  })
  expect(missing).toEqual([{ category: 'brands', name: 'Gone' }])
  expect(withoutMissing(setup, missing).chosen).toMatchObject({
    brands: ['ALPHA', 'alpha'],
    departments: 'all',
  })
})

test('a search that was read becomes a set-up', () => {
  const empty = linkQueryOf(emptySetup, resolveSetup(emptySetup, options).picked)
  expect(setupOfQuery(empty)).toEqual(emptySetup)
  const read = {
    ...empty,
    maxPrice: 30,
    filters: { ...empty.filters, brands: [{ name: 'Alpha', code: 'p_89:Alpha' }] },
    custom: [{ name: 'p_72:1', code: 'p_72:1' }],
  }
  expect(setupOfQuery(read)).toMatchObject({
    price: { min: null, max: 30 },
    chosen: { brands: ['Alpha'] },
    custom: [{ name: 'p_72:1', code: 'p_72:1' }],
  })
})

test('a tap chooses and lets go; of sorts another replaces the first', () => {
  expect(toggle('brands', ['A'], 'B')).toEqual(['A', 'B'])
  expect(toggle('brands', ['A', 'B'], 'A')).toEqual(['B'])
  expect(toggle('sort_by', ['A'], 'B')).toEqual(['B'])
  expect(toggle('sort_by', ['A'], 'A')).toEqual([])
})

test.each([
  ['12.50', 12.5],
  ['12,5', 12.5],
  ['19.99', 19.99],
  ['0.005', 0.01],
  ['', 0],
  ['abc', 0],
  ['-3', 0],
  ['Infinity', 0],
  ['1e12', 99_999_999.99],
])('the amount %j is %d', (text, expected) => {
  expect(readAmount(text)).toBe(expected)
})

test('thousands of names are too long for an address, all of them are not', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `Brand ${index}`)
  const of = (brands: Setup['chosen']['brands']) =>
    paramsOf({ ...emptySetup, chosen: { ...emptySetup.chosen, brands } })
  expect(isTooLong(of(names))).toBe(true)
  expect(isTooLong(of(names.slice(0, 100)))).toBe(false)
  expect(isTooLong(of('all'))).toBe(false)
})
