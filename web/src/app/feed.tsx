import { useEffect, useState } from 'react'
import type { Targets } from '../features/deals/components/deal-grid.tsx'
import { FeedScreen } from '../features/deals/feed-screen.tsx'
import { latePart } from '../ui/late-part.tsx'
import { SavedSearches } from './saved-searches.tsx'

// Without it a card has no bell, which it has not at first either.
const ListTargets = latePart(
  async () => (await import('./list-targets.tsx')).ListTargets,
  () => null,
)

/** By which a reader does more than look at what has come. */
const signsOfUse = ['pointermove', 'pointerdown', 'keydown', 'scroll'] as const

/** The feed with what other features show above its list and on its deals. */
export function Feed() {
  const [targets, setTargets] = useState<Targets>()
  const [isUsed, setUsed] = useState(false)
  useEffect(() => {
    // Whoever only looks needn't wait for what they may do.
    const ended = new AbortController()
    const options = { signal: ended.signal, passive: true, capture: true }
    for (const name of signsOfUse) window.addEventListener(name, () => setUsed(true), options)
    return () => ended.abort()
  }, [])
  return (
    <>
      <FeedScreen above={(asked) => <SavedSearches asked={asked} />} targets={targets} />
      {isUsed && <ListTargets onTargets={setTargets} />}
    </>
  )
}
