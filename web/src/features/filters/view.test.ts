import type { Filter, FilterCategory } from '@dealdeck/marketplace/filters'
import { expect, test } from 'vitest'
import { countTabs, entriesOf, importLine, indexFilters, searchEntries, sortBrands } from './view.ts'

const filter = (name: string, code: string, category: FilterCategory = 'brands'): Filter => ({
  category,
  name,
  code,
})
const entries = indexFilters([
  filter('Cheapest first', 's=price-asc-rank', 'sort_by'),
  filter('100% off', 'p_8:100-', 'percent_off'),
  filter('5% off', 'p_8:5-', 'percent_off'),
  filter('zeta', 'p_123:9'),
  filter('Éclair & Co', 'p_123:10'),
  filter('Alpha', 'p_123:100'),
  filter('ｗｉｄｅ 小米', 'p_89:BLACK+DECKER'),
])
const names = (list: readonly { filter: Filter }[]) => list.map(({ filter }) => filter.name)

test('filters stand by category as the tabs do, then by name, numbers by their value', () => {
  expect(names(entries)).toEqual([
    'Alpha',
    'Éclair & Co',
    'ｗｉｄｅ 小米',
    'zeta',
    '5% off',
    '100% off',
    'Cheapest first',
  ])
})

test.each([
  ['', 7],
  ['   ', 7],
  ['ALPHA', 1],
  ['co écl', 1],
  ['P_123:10', 2],
  ['p_123%3A9', 1],
  ['%', 2],
  ['100%', 1],
  ['wide', 1],
  ['小米', 1],
  ['black%2Bdecker', 1],
  ['black+', 1],
  ['alpha zeta', 0],
  ['.*', 0],
])('searching %j finds %i', (query, found) => {
  expect(searchEntries(entries, query)).toHaveLength(found)
})

test('each tab counts its own', () => {
  const counts = countTabs(entries)
  expect(counts).toMatchObject({ all: 7, brands: 4, percent_off: 2, sort_by: 1, deals: 0 })
  expect(names(entriesOf(entries, 'percent_off'))).toEqual(['5% off', '100% off'])
  expect(entriesOf(entries, 'all')).toBe(entries)
})

test('brands sort by name or code, either way, and the index stays as it is', () => {
  const brands = entriesOf(entries, 'brands')
  expect(names(sortBrands(brands, 'name', true))[0]).toBe('zeta')
  expect(names(sortBrands(brands, 'code', false))).toEqual(['ｗｉｄｅ 小米', 'zeta', 'Éclair & Co', 'Alpha'])
  expect(names(brands)[0]).toBe('Alpha')
})

test('an import is told in figures', () => {
  const result = { added: 3, changed: 0, removed: 1, unchanged: 1200, dry_run: true }
  const number = new Intl.NumberFormat('en-US').format
  expect(importLine(result, number)).toBe('3 added, none changed, 1 removed, 1,200 unchanged')
})
