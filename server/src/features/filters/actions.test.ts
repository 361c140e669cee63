import { defaultFilters } from '@dealdeck/marketplace/default-filters'
import type { Filter } from '@dealdeck/marketplace/filters'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { type Databases, openDatabases } from '../../platform/database/database.ts'
import { addFilter, insertDefaultFilters, listFilters, removeFilter, updateFilter } from './actions.ts'

/** The pools of another instance on the same database. */
function anotherInstance({ url }: Databases): Databases {
  const other = openDatabases(url, () => undefined)
  onTestFinished(() => other.close())
  return other
}

test('an empty table gets the default set, once, also when two instances start at the same moment', async () => {
  const databases = await testDatabases()
  const instances = [databases, anotherInstance(databases), anotherInstance(databases)]
  const added = await Promise.all(instances.map((instance) => insertDefaultFilters(instance, 'amazon.com')))
  const defaults = defaultFilters('amazon.com')
  expect(added.sort((a, b) => b - a)).toEqual([defaults.length, 0, 0])
  const lines = (filters: readonly Filter[]) =>
    filters.map(({ category, name, code }) => `${category} ${name} ${code}`).sort()
  expect(lines(await listFilters(databases))).toEqual(lines(defaults))
})

test('a table with anything in it is left alone; an emptied one is filled at the next start', async () => {
  const databases = await testDatabases()
  const { id } = await addFilter(databases, { category: 'brands', name: 'Acme', code: 'p_89:Acme' })
  expect(await insertDefaultFilters(databases, 'amazon.com')).toBe(0)
  expect(await listFilters(databases)).toHaveLength(1)
  await removeFilter(databases, id)
  expect(await listFilters(databases)).toEqual([])
  expect(await insertDefaultFilters(databases, 'amazon.com')).toBeGreaterThan(70)
})

test('the list is read once a version, and never older than a change that was answered, whoever made it', async () => {
  const databases = await testDatabases()
  const other = anotherInstance(databases)
  const { id } = await addFilter(other, { category: 'brands', name: 'Acme', code: 'p_89:Acme' })
  const first = await listFilters(databases)
  expect(first).toMatchObject([{ name: 'Acme' }])
  expect(await listFilters(databases)).toBe(first)
  for (let turn = 0; turn < 20; turn += 1) {
    await updateFilter(other, id, { name: `Acme ${turn}` })
    const seen = await Promise.all([listFilters(databases), listFilters(databases)])
    expect(seen).toMatchObject([[{ name: `Acme ${turn}` }], [{ name: `Acme ${turn}` }]])
  }
})

test('a change that fails leaves no trace, not even a version', async () => {
  const databases = await testDatabases()
  await addFilter(databases, { category: 'brands', name: 'Acme', code: 'p_89:Acme' })
  const before = await listFilters(databases)
  await expect(
    addFilter(databases, { category: 'brands', name: 'ACME', code: 'p_89:Acme' }),
  ).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(updateFilter(databases, 999, { name: 'X' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await listFilters(databases)).toBe(before)
})
