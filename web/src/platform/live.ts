/**
 * 'connecting' only before the first connection; 'down' until it, or the next one, succeeds. 'away': the stream is open,
 * but the server can't reach its database and knows of nothing new.
 */
export type LiveState = 'connecting' | 'open' | 'down' | 'away'

export type LiveHandlers = {
  /** An event's name and parsed payload, as yet unchecked, and the id with which a stream resumes after it. */
  onEvent(name: string, data: unknown, id: string): void
  onState(state: LiveState): void
  /**
   * The stream is open. Unless `resumed`, events sent while it was not open are lost and must be made up for. `id`: what is
   * known of where it has begun; without it the first event says that.
   */
  onOpen(resumed: boolean, id?: string): void
  /** The server answered, but not with a stream: whoever asks it something else will learn why. */
  onRefused(): void
}

const patienceMs = 5_000
const firstDelayMs = 1_000
/** With its spread five seconds at most: so soon everybody is back after an outage. */
const longestDelayMs = 4_000

/**
 * Listens to a server-sent stream for as long as it is wanted, from after `lastId` on where there is one. A lost connection
 * is the browser's to mend, with Last-Event-ID; a refusal (401, 5xx) makes it give up, so then a new one is opened after
 * growing pauses. Answers the function that ends it.
 */
export function openLive(
  url: string,
  names: readonly string[],
  handlers: LiveHandlers,
  lastId = '',
): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let refusals = 0
  let state: LiveState | undefined
  let id = lastId

  function setState(next: LiveState) {
    if (state === next) return
    state = next
    handlers.onState(next)
  }

  function connect() {
    clearTimeout(timer)
    source?.close()
    const current = new EventSource(id === '' ? url : `${url}?last_event_id=${encodeURIComponent(id)}`)
    source = current
    let resumes = id !== ''
    // A connection that hangs without an error is as good as none.
    timer = setTimeout(() => setState('down'), patienceMs)
    current.onopen = () => {
      clearTimeout(timer)
      refusals = 0
      setState('open')
      handlers.onOpen(resumes)
      resumes = true
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
    for (const name of new Set([...names, 'database'])) {
      current.addEventListener(name, (event: MessageEvent<unknown>) => {
        id = event.lastEventId || id
        const data = parse(event.data)
        if (name === 'database') turn(Object(data).is_away === true)
        handlers.onEvent(name, data, id)
      })
    }
  }

  /** The database has gone, or come back, or is as it was: every stream begins with how it is. */
  function turn(isAway: boolean) {
    const wasAway = state === 'away'
    setState(isAway ? 'away' : 'open')
    // Nobody could be told of what was asked for meanwhile and failed.
    if (wasAway && !isAway) handlers.onOpen(false)
  }

  function retryNow() {
    if (state === 'down') connect()
  }

  /** A connection that has lost its network says nothing for long; another one says at once whether there is any. */
  function lose() {
    setState('down')
    connect()
  }

  setState('connecting')
  connect()
  window.addEventListener('online', retryNow)
  window.addEventListener('offline', lose)
  return () => {
    window.removeEventListener('online', retryNow)
    window.removeEventListener('offline', lose)
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
