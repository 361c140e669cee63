import { openLive } from './live.ts'

/** The events that say no more than that something is to be fetched again. */
const names = ['filters', 'me'] as const
export type NewsName = (typeof names)[number]

type Follower = { count: number; refetch: () => void }

const followers = new Map<string, Follower>()
let end: (() => void) | undefined

/**
 * Calls `refetch` after each event of that name, and whenever some of them may have been missed. However many parts of a
 * screen follow, and whatever, one stream is open. Answers the function that stops following.
 */
export function followLive(name: NewsName, refetch: () => void): () => void {
  const follower = followers.get(name) ?? { count: 0, refetch }
  follower.count += 1
  follower.refetch = refetch
  followers.set(name, follower)
  const refetchAll = () => {
    for (const { refetch } of followers.values()) refetch()
  }
  end ??= openLive('/api/products/events', names, {
    onEvent: (event) => followers.get(event)?.refetch(),
    onState: () => undefined,
    // What changed while no stream was open is not told again.
    onOpen: refetchAll,
    // A stream's refusal hides its reason from the page; asking for what it tells of meets the same one.
    onRefused: refetchAll,
  })
  let isFollowing = true
  return () => {
    if (!isFollowing) return
    isFollowing = false
    follower.count -= 1
    if (follower.count > 0) return
    followers.delete(name)
    if (followers.size > 0) return
    end?.()
    end = undefined
  }
}
