import { expect, it } from 'vitest'
import { defaultFilters } from './filters.ts'
import { fetchLanguage, filtersOf } from './language.ts'
import { newestFirst } from './on-top.ts'

const asker = { defaultMax: 30, hidesContradicted: false, isAdministrator: false }

it('the newest first is asked for beside the question, and before any other sort where only the server understands it', async () => {
  const known = { ...defaultFilters(asker), sort: 'price' as const }
  expect(newestFirst(known)).toEqual({ ...known, sort: 'newest' })
  const unknown = filtersOf({ q: 'lamp sort:price' }, asker)
  const newest = newestFirst(unknown)
  expect(newest).toEqual({ ...unknown, query: 'sort:newest lamp sort:price' })
  expect(newestFirst(newest)).toEqual(newest)
  const language = await fetchLanguage()
  expect(language.filtersOfText(newest.query, asker)).toMatchObject({ sort: 'newest', query: 'lamp' })
})
