import { FeedScreen } from '../features/deals/feed-screen.tsx'
import { deviceKeys } from '../platform/device-keys.ts'
import { readStored } from '../platform/storage.ts'
import { latePart } from '../ui/late-part.tsx'

/** How long a visit that begins with nothing has the line for its deals, in milliseconds. */
const patienceMs = 5_000
const SavedRow = latePart(async () => {
  if (!location.search && !readStored(deviceKeys.searches))
    await new Promise((done) => setTimeout(done, patienceMs))
  return (await import('../features/searches/saved-row.tsx')).SavedRow
})
// As high as the row, where there will be one, so that nothing moves when it comes.
const [rowHeight, noRow] = [{ minHeight: '2.75rem' }, { display: 'contents' }]

/** The feed with what other features show above its list. */
export function Feed() {
  const style = readStored(deviceKeys.searches) ? rowHeight : noRow
  return (
    <FeedScreen
      above={(asked) => (
        <div style={style}>
          <SavedRow asked={asked} />
        </div>
      )}
    />
  )
}
