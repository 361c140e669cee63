import type { eventsPath, LiveEventName } from '@dealdeck/contract/events'
import { type LiveHandlers, type LiveState, openLive } from './live.ts'

/** What the tab that has the stream passes on, each with the state of the stream and the id of the last event. */
type Passed = { state: LiveState; id: string } & (
  | { kind: 'event'; name: string; data: unknown }
  | { kind: 'open'; resumed: boolean }
  | { kind: 'refused' }
  | { kind: 'state' }
  /** To tabs that asked; also whether the tab that has the stream is looked at. */
  | { kind: 'answer'; isShown: boolean }
)
/** A tab that has just come, or is looked at again, asks for the state and for the id of the last event. */
type Asked = { kind: 'asked' }

// Named here once more: the contract's own list would bring the schema library into the browser.
const address: typeof eventsPath = '/api/events'
const names = Object.keys({
  ...{ deals: 0, reset: 0, filters: 0, database: 0, me: 0, sources: 0, deliveries: 0 },
} satisfies Record<LiveEventName, 0>)

/** A tab that doesn't answer within so many milliseconds has been put to sleep by the browser. */
const patienceMs = 2_000

/**
 * The same as `openLive`, with one stream for all tabs of this browser that share `name`. Whoever holds the lock of that
 * name has the stream and passes on what it hears; the next one goes on from the last event it was passed. A tab that is
 * looked at takes the stream over from one that isn't, which the browser may put to sleep at any time.
 * Without locks (a page over plain HTTP from another machine) each tab has a stream of its own, while it is looked at.
 * `firstId`: the event after which a tab begins that has the stream, or hears that another's has come to there.
 */
export function shareLive(
  url: string,
  names: readonly string[],
  handlers: LiveHandlers,
  name: string,
  firstId = '',
): () => void {
  // The type says that a browser has it anyway.
  const locks = navigator.locks as LockManager | undefined
  const channel = locks && new BroadcastChannel(name)
  let state: LiveState = 'connecting'
  let id = ''
  /** Whether everything up to `id` is known. */
  let isCurrent = false
  let hasOpened = false
  let isEnded = false
  /** Ends this tab's stream and lets the next tab have the lock; undefined while another tab has the stream. */
  let letGo: (() => void) | undefined
  let waiting: AbortController | undefined
  let patience: ReturnType<typeof setTimeout> | undefined

  const page = document
  const isShown = () => page.visibilityState === 'visible'

  /** Acts upon what the stream said, whoever has it. */
  function take(passed: Passed): void {
    // A tab that has just got the stream may know less than this one.
    if (state !== passed.state && passed.state !== 'connecting') {
      state = passed.state
      handlers.onState(state)
    }
    if (passed.kind === 'answer' && passed.id === firstId) beginAtFirst()
    const isGapless = isCurrent && id === passed.id
    if (passed.kind === 'event') {
      id = passed.id
      handlers.onEvent(passed.name, passed.data, id)
    } else if (passed.kind === 'refused') handlers.onRefused()
    else if (
      passed.kind === 'open' ||
      (passed.kind === 'answer' && state === 'open' && !(isGapless && hasOpened))
    ) {
      id = passed.id
      isCurrent = true
      hasOpened = true
      if (passed.kind === 'answer') handlers.onOpen(isGapless, id)
      else handlers.onOpen(passed.resumed && isGapless)
    }
  }

  /** What the page brought along is known; nothing else has been heard yet. */
  function beginAtFirst(): void {
    if (id !== '' || firstId === '') return
    id = firstId
    isCurrent = true
  }

  function pass(passed: Passed): void {
    channel?.postMessage(passed)
    take(passed)
  }

  /** Has the stream until it is let go. */
  const lead = () =>
    new Promise<void>((release) => {
      stopAsking()
      waiting = undefined
      if (isEnded) return release()
      beginAtFirst()
      const end = openLive(url, names, streamHandlers, id)
      letGo = () => {
        letGo = undefined
        end()
        release()
      }
      answer()
    })

  const answer = () =>
    channel?.postMessage({ kind: 'answer', isShown: isShown(), state, id } satisfies Passed)

  const streamHandlers: LiveHandlers = {
    onEvent: (name, data, id) => pass({ kind: 'event', name, data, id, state }),
    // Whoever goes on with another tab's stream has never been without.
    onState: (next) => next !== 'connecting' && pass({ kind: 'state', state: next, id }),
    onOpen: (resumed) => pass({ kind: 'open', resumed, state, id }),
    onRefused: () => pass({ kind: 'refused', state, id }),
  }

  async function acquire(options: LockOptions): Promise<void> {
    let own: typeof letGo
    try {
      await locks?.request(name, options, (lock) => {
        const led = lock ? lead() : undefined
        own = letGo
        return led
      })
    } catch {
      // Called off by this tab, or taken away by another that had no answer from this one.
      if (own === undefined || own !== letGo) return
      own()
      join()
    }
  }

  /** Hears from whoever has the stream, or becomes the next to have it. */
  function join(): void {
    if (letGo || isEnded) return
    if (!locks) return void (isShown() && lead())
    channel?.postMessage({ kind: 'asked' } satisfies Asked)
    if (!isShown()) return void acquire({ ifAvailable: true })
    if (!waiting) {
      waiting = new AbortController()
      void acquire({ signal: waiting.signal })
    }
    stopAsking()
    patience = setTimeout(steal, patienceMs)
  }

  /** Takes the stream from a tab that nobody looks at, or that doesn't answer. */
  function steal(): void {
    stopWaiting()
    void acquire({ steal: true })
  }

  function stopAsking(): void {
    clearTimeout(patience)
    patience = undefined
  }

  function stopWaiting(): void {
    stopAsking()
    waiting?.abort()
    waiting = undefined
  }

  /** Nobody looks at this tab any more: whoever waits is looked at and shall have the stream. */
  async function hide(): Promise<void> {
    stopWaiting()
    if (!locks) return letGo?.()
    const own = letGo
    if (!own) return
    const { pending = [] } = await locks.query()
    if (own === letGo && !isShown() && pending.some((lock) => lock.name === name)) own()
  }

  if (channel)
    channel.onmessage = ({ data }: MessageEvent<Passed | Asked>) => {
      if (data.kind === 'asked') return letGo && answer()
      if (letGo) return
      // Its own stream will say all of that.
      if (data.kind === 'answer' && patience && !data.isShown) return steal()
      take(data)
      if (data.kind === 'answer' && patience) stopAsking()
    }

  const onVisibility = () => (isShown() ? join() : void hide())
  page.addEventListener('visibilitychange', onVisibility)
  join()
  return () => {
    isEnded = true
    page.removeEventListener('visibilitychange', onVisibility)
    stopWaiting()
    letGo?.()
    channel?.close()
  }
}

/** Every event of the contract, from the one stream that all tabs of that name share. */
export const shareEvents = (handlers: LiveHandlers, name: string, firstId: string) =>
  shareLive(address, names, handlers, name, firstId)
