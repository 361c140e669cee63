import { routes } from 'virtual:contract-routes'
import { preloadsOf } from '@dealdeck/contract/preloads'
import { useEffect, useState } from 'react'
import type { SavedRow as Row } from '../features/searches/saved-row.tsx'
import { deviceKeys } from '../platform/device-keys.ts'
import { preloadedResponse } from '../platform/preloaded-responses.ts'
import { readStored } from '../platform/storage.ts'
import { latePart } from '../ui/late-part.tsx'

type SavedSearchesProps = Parameters<typeof Row>[0]

/** How long a visit that begins with nothing has the line for its deals, in milliseconds. */
const patienceMs = 5_000

/**
 * Whether there may be searches that this device knows nothing of. Where a page comes with a session, as it does on every later
 * visit, there are most likely none.
 */
let mayComeNew = !preloadedResponse(preloadsOf(routes).session)
const hasCopy = () => Boolean(readStored(deviceKeys.searches))

const SavedRow = latePart(async () => {
  if (!location.search && !hasCopy() && !mayComeNew) {
    await new Promise((done) => setTimeout(done, patienceMs))
    // What its reader has scrolled to stays where it is.
    while (window.scrollY > 0)
      await new Promise((done) => window.addEventListener('scroll', done, { once: true }))
  }
  return (await import('../features/searches/saved-row.tsx')).SavedRow
}, 'Saved searches')

const SearchBell = latePart(async () => (await import('./search-bell.tsx')).SearchBell, 'The bell')

// As high as the row, where there will or may be one, so that nothing moves when it comes.
const [rowHeight, noRow] = [{ height: '2.25rem' }, { display: 'contents' }]

/** The row of saved searches. */
export function SavedSearches(props: SavedSearchesProps) {
  const [isReserved] = useState(() => mayComeNew || hasCopy())
  useEffect(
    () => () => {
      mayComeNew = false
    },
    [],
  )
  return (
    <div style={isReserved ? rowHeight : noRow}>
      <SavedRow {...props} bell={(search) => <SearchBell key={search.id} search={search} />} />
    </div>
  )
}
