import { useState } from 'react'
import type { Targets } from '../features/deals/components/deal-grid.tsx'
import { FeedScreen } from '../features/deals/feed-screen.tsx'
import { latePart } from '../ui/late-part.tsx'
import { SavedSearches } from './saved-searches.tsx'

const ListTargets = latePart(async () => (await import('./list-targets.tsx')).ListTargets)

/** The feed with what other features show above its list and on its deals. */
export function Feed() {
  const [targets, setTargets] = useState<Targets>()
  return (
    <>
      <FeedScreen above={(asked) => <SavedSearches asked={asked} />} targets={targets} />
      <ListTargets onTargets={setTargets} />
    </>
  )
}
