import { SearchesScreen } from '../features/searches/searches-screen.tsx'
import { SearchBell } from './search-bell.tsx'

/** The saved searches, each with its bell. */
export function Searches() {
  return <SearchesScreen bell={(search) => <SearchBell search={search} />} />
}
