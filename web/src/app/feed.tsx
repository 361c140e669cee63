import { FeedScreen } from '../features/deals/feed-screen.tsx'
import { SavedSearches } from './saved-searches.tsx'

/** The feed with what other features show above its list. */
export function Feed() {
  return <FeedScreen above={(asked) => <SavedSearches asked={asked} />} />
}
