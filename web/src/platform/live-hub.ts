import type { LiveEventName } from '@dealdeck/contract/events'
import { later } from './later.ts'
import type { LiveHandlers, LiveState } from './live.ts'
import { readSessionHint } from './session-hint.ts'
import { shareEvents } from './shared-live.ts'

/** Between two screens nobody follows for a moment; the stream stays open for so long, in milliseconds. */
const lingerMs = 1_000

type Follower = Partial<LiveHandlers> & { names: readonly LiveEventName[] }
/** What all who follow have together: one connection, of one member. */
type Connection = { name: string; state: LiveState; id: string; end: () => void }

const followers = new Set<Follower>()
let connection: Connection | undefined
const endSoon = later(lingerMs, () => {
  if (followers.size > 0) return
  connection?.end()
  connection = undefined
})

/**
 * Hears of the events of these names, and of the stream itself, from now on. However many parts of a screen follow, and
 * whatever, a tab has one stream at most. To whoever joins an open one it is as if it had just opened.
 * Answers the function that stops following.
 */
export function followLive(follower: Follower): () => void {
  followers.add(follower)
  const name = `dealdeck live ${readSessionHint()?.id}`
  if (connection?.name !== name) {
    connection?.end()
    connection = connect(name)
  }
  const { state } = connection
  follower.onState?.(state)
  if (state === 'open') follower.onOpen?.(false)
  return () => {
    followers.delete(follower)
    if (followers.size === 0) endSoon.run()
  }
}

/** The id up to which the stream has told of everything, in one piece; empty until its first event. */
export const streamId = (): string => connection?.id ?? ''

function connect(name: string): Connection {
  const onState = (state: LiveState) => {
    own.state = state
    for (const follower of followers) follower.onState?.(state)
  }
  const own: Connection = { name, state: 'connecting', id: '', end: () => undefined }
  own.end = shareEvents({ onEvent, onState, onOpen, onRefused }, name)
  return own
}

function onRefused(): void {
  for (const follower of followers) follower.onRefused?.()
}

function onEvent(event: string, data: unknown, id: string): void {
  if (connection) connection.id = id
  for (const follower of followers)
    if (follower.names.some((name) => name === event)) follower.onEvent?.(event, data, id)
}

function onOpen(resumed: boolean, id = ''): void {
  if (connection && !resumed) connection.id = id
  for (const follower of followers) follower.onOpen?.(resumed)
}

/** Those who fetch something again, by the event that says so: however many they are, it is fetched once. */
const refetches = new Map<LiveEventName, { count: number; refetch: () => void; stop: () => void }>()

/**
 * Calls `refetch` after each event of that name, which says no more than that, and whenever some of them may have been
 * missed. Answers the function that stops it.
 */
export function refetchAfter(name: LiveEventName, refetch: () => void): () => void {
  const shared = refetches.get(name) ?? { count: 0, refetch, stop: () => undefined }
  shared.count += 1
  shared.refetch = refetch
  if (!refetches.has(name)) {
    refetches.set(name, shared)
    const run = () => shared.refetch()
    // A stream's refusal hides its reason from the page; asking for what it tells of meets the same one.
    shared.stop = followLive({ names: [name], onEvent: run, onOpen: run, onRefused: run })
  }
  let isFollowing = true
  return () => {
    if (!isFollowing) return
    isFollowing = false
    shared.count -= 1
    if (shared.count > 0) return
    refetches.delete(name)
    shared.stop()
  }
}
