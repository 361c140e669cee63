import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * For whom something is being done (`callerOf` a request), however far from the request: what is written to the log of it names
 * them. Work that goes on for everybody leaves it with `exit`.
 */
export const memberContext = new AsyncLocalStorage<number | string>()
