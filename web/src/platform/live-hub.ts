import type { LiveEventName } from '@dealdeck/contract/events'
import { later } from './later.ts'
import type { LiveHandlers, LiveState } from './live.ts'
import { readSessionHint } from './session-hint.ts'
import { shareEvents } from './shared-live.ts'

/** Between two screens nobody subscribes for a moment; the stream stays open for so long, in milliseconds. */
const lingerMs = 1_000

type Subscriber = Partial<LiveHandlers> & { names: readonly LiveEventName[] }
/** What all subscribers share: one connection, of one member. */
type Connection = { name: string; state: LiveState; id: string; end: () => void }

const subscribers = new Set<Subscriber>()
/** Who joined while the stream was lost has heard nothing of what it said until then, whether or not it resumes. */
const joinedLost = new WeakSet<Subscriber>()
let connection: Connection | undefined
/** Where the first stream begins; empty: at its opening. */
let firstId = ''
let said = 0
const endSoon = later(lingerMs, () => {
  if (subscribers.size > 0) return
  connection?.end()
  connection = undefined
})

/**
 * Hears of the events of these names, and of the stream itself, from now on. However many parts of a screen subscribe, and
 * whatever, a tab has one stream at most. To whoever joins an open one it is as if it had just opened.
 * Answers the function that ends the subscription.
 */
export function subscribeLive(subscriber: Subscriber): () => void {
  subscribers.add(subscriber)
  const name = `dealdeck live ${readSessionHint()?.id}`
  if (connection?.name !== name) {
    connection?.end()
    connection = connect(name)
  }
  const { state } = connection
  subscriber.onState?.(state)
  if (state === 'open') subscriber.onOpen?.(false)
  else if (state !== 'connecting') joinedLost.add(subscriber)
  return () => {
    subscribers.delete(subscriber)
    if (subscribers.size === 0) endSoon.run()
  }
}

/** Has the first stream of this page begin after the event of that id, which what the page brought along knows of already. */
export function beginStreamAfter(id: string): void {
  firstId = id
}

/** How often the stream has said anything so far, that it is open included. */
export const saidSoFar = (): number => said

/** The id up to which the stream has told of everything, in one piece; empty until its first event. */
export const streamId = (): string => connection?.id ?? ''

function connect(name: string): Connection {
  const onState = (state: LiveState) => {
    own.state = state
    for (const subscriber of subscribers) subscriber.onState?.(state)
  }
  const own: Connection = { name, state: 'connecting', id: firstId, end: () => undefined }
  own.end = shareEvents({ onEvent, onState, onOpen, onRefused }, name, firstId)
  // What is asked later begins with what it asks for then.
  firstId = ''
  return own
}

function onRefused(): void {
  for (const subscriber of subscribers) subscriber.onRefused?.()
}

function onEvent(event: string, data: unknown, id: string): void {
  if (connection) connection.id = id
  said += 1
  for (const subscriber of subscribers)
    if (subscriber.names.some((name) => name === event)) subscriber.onEvent?.(event, data, id)
}

function onOpen(resumed: boolean, id = ''): void {
  if (connection && !resumed) connection.id = id
  said += 1
  for (const subscriber of subscribers) {
    const isFresh = joinedLost.delete(subscriber)
    subscriber.onOpen?.(resumed && !isFresh)
  }
}
