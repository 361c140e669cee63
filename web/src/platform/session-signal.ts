type Listener = () => void

const listeners = new Set<Listener>()

/**
 * Says that the server no longer knows this session (a 401 of any call, also of an upload or the stream).
 * The session gate listens, forgets everything that was fetched and shows the login screen.
 */
export function reportSessionLost(): void {
  for (const listener of listeners) listener()
}

/** Calls `listener` whenever the session is reported lost; answers the function that stops it. */
export function onSessionLost(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
