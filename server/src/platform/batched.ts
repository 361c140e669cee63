import DataLoader from 'dataloader'
import { isConnectionError, isReadOnly } from './http/http-errors.ts'

const mostAtOnce = 200
/** One that waits for a lock keeps the next ones no longer, in milliseconds. */
const longestWaitMs = 20

/**
 * One call for each of what `work` does for many at once: what is asked for while a batch is under way makes the next one, so that a busy
 * process asks the database seldom and an idle one without delay. `work` returns a value for each key, in their order. Where it throws, each
 * is tried alone, unless it is the connection that failed: only those that fail of themselves fail.
 */
export function batched<Key, Value>(
  work: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let running: Promise<unknown> = Promise.resolve()
  const loader = new DataLoader<Key, Value>(
    (keys) => {
      const done = workOnEach(work, keys)
      running = done.catch(() => undefined)
      return done
    },
    {
      cache: false,
      maxBatchSize: mostAtOnce,
      batchScheduleFn: (dispatch) => {
        const timer = setTimeout(begin, longestWaitMs)
        let isBegun = false
        function begin() {
          clearTimeout(timer)
          if (isBegun) return
          isBegun = true
          dispatch()
        }
        void running.then(() => setImmediate(begin))
      },
    },
  )
  return (key) => loader.load(key)
}

async function workOnEach<Key, Value>(
  work: (keys: readonly Key[]) => Promise<readonly Value[]>,
  keys: readonly Key[],
): Promise<readonly (Value | Error)[]> {
  try {
    return await work(keys)
  } catch (error) {
    if (keys.length === 1 || isConnectionError(error) || isReadOnly(error)) throw error
  }
  const results = await Promise.allSettled(keys.map((key) => work([key])))
  return results.map((result) =>
    // A batch of one returns one value.
    result.status === 'fulfilled' ? (result.value[0] as Value) : toError(result.reason),
  )
}

const toError = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))
