import type { SavedRow as Row } from '../features/searches/saved-row.tsx'
import { deviceKeys } from '../platform/device-keys.ts'
import { readStored } from '../platform/storage.ts'
import { latePart } from '../ui/late-part.tsx'

type SavedSearchesProps = Parameters<typeof Row>[0]

/** How long a visit that begins with nothing has the line for its deals, in milliseconds. */
const patienceMs = 5_000
const SavedRow = latePart(async () => {
  if (!location.search && !readStored(deviceKeys.searches))
    await new Promise((done) => setTimeout(done, patienceMs))
  return (await import('../features/searches/saved-row.tsx')).SavedRow
})

// As high as the row, where there will be one, so that nothing moves when it comes.
const [rowHeight, noRow] = [{ height: '2.25rem' }, { display: 'contents' }]

/** The row of saved searches. */
export function SavedSearches(props: SavedSearchesProps) {
  return (
    <div style={readStored(deviceKeys.searches) ? rowHeight : noRow}>
      <SavedRow {...props} />
    </div>
  )
}
