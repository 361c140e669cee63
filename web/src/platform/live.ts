/**
 * 'connecting' only before the first connection; 'down' until it, or the next one, succeeds. 'away': the stream is open,
 * but the server can't reach its database and knows of nothing new.
 */
export type LiveState = 'connecting' | 'open' | 'down' | 'away'

export type LiveHandlers = {
  /** An event's name and parsed payload, as yet unchecked. */
  onEvent(name: string, data: unknown): void
  onState(state: LiveState): void
  /** The stream is open. Unless `resumed`, events sent while it was not open are lost and must be made up for. */
  onOpen(resumed: boolean): void
  /** The server answered, but not with a stream: whoever asks it something else will learn why. */
  onRefused(): void
}

const patienceMs = 5_000
const firstDelayMs = 1_000
/** With its spread five seconds at most: so soon everybody is back after an outage. */
const longestDelayMs = 4_000

/**
 * Listens to a server-sent stream for as long as it is wanted. A lost connection is the browser's to mend, with
 * Last-Event-ID; a refusal (401, 5xx) makes it give up, so then a new one is opened after growing pauses.
 * Answers the function that ends it.
 */
export function openLive(url: string, names: readonly string[], handlers: LiveHandlers): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let refusals = 0
  let state: LiveState | undefined

  function setState(next: LiveState) {
    if (state === next) return
    state = next
    handlers.onState(next)
  }

  function connect() {
    clearTimeout(timer)
    source?.close()
    const current = new EventSource(url)
    source = current
    let opened = false
    // A connection that hangs without an error is as good as none.
    timer = setTimeout(() => setState('down'), patienceMs)
    current.onopen = () => {
      clearTimeout(timer)
      refusals = 0
      setState('open')
      handlers.onOpen(opened)
      opened = true
    }
    current.onerror = () => {
      setState('down')
      if (current.readyState !== EventSource.CLOSED) return
      handlers.onRefused()
      clearTimeout(timer)
      // Spread out, so that a restarted server is not met by everybody at once.
      const pause = Math.min(longestDelayMs, firstDelayMs * 2 ** refusals) * (0.75 + Math.random() / 2)
      refusals += 1
      timer = setTimeout(connect, pause)
    }
    current.addEventListener('database', (event: MessageEvent<unknown>) => {
      const isAway = Object(parse(event.data)).is_away === true
      setState(isAway ? 'away' : 'open')
      // Nobody could be told of what was asked for meanwhile and failed.
      if (!isAway) handlers.onOpen(false)
    })
    for (const name of names) {
      current.addEventListener(name, (event: MessageEvent<unknown>) => {
        handlers.onEvent(name, parse(event.data))
      })
    }
  }

  function retryNow() {
    if (source?.readyState === EventSource.CLOSED) connect()
  }

  setState('connecting')
  connect()
  window.addEventListener('online', retryNow)
  return () => {
    window.removeEventListener('online', retryNow)
    clearTimeout(timer)
    source?.close()
  }
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}
