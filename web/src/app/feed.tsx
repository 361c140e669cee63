import { FeedScreen } from '../features/deals/feed-screen.tsx'

/** The feed with what other features show above its list. */
export function Feed() {
  return <FeedScreen />
}
