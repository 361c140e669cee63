import DataLoader from 'dataloader'

const mostAtOnce = 200
/** One that waits for a lock keeps the next ones no longer, in milliseconds. */
const longestWaitMs = 20

/** What becomes of each key of a batch, in their order: its value, or why there is none. */
type Results<Value> = readonly (Value | Error)[]

/**
 * One call for each of what `work` does for many at once: what is asked for while a batch is under way makes the next one, so that a busy
 * process asks the database seldom and an idle one without delay. Where `work` throws what may be one key's fault, each is tried alone, and
 * only those fail that fail then.
 */
export function batched<Key, Value>(
  work: (keys: readonly Key[]) => Promise<Results<Value>>,
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
  work: (keys: readonly Key[]) => Promise<Results<Value>>,
  keys: readonly Key[],
): Promise<Results<Value>> {
  try {
    return await work(keys)
  } catch (error) {
    if (keys.length === 1 || !mayBeOfOne(error)) throw error
  }
  // One key has one result.
  return settleEach(keys, async (key) => (await work([key]))[0] as Value | Error)
}

/** Of the data (classes 22 and 23), a deadlock, or a fault of ours; not where the database is away, busy, or has nothing confirmed. */
function mayBeOfOne(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  return error instanceof Error && 'code' in error && /^(22|23|40P01)/.test(String(error.code))
}

async function settleEach<Key, Value>(
  keys: readonly Key[],
  work: (key: Key) => Promise<Value | Error>,
): Promise<Results<Value>> {
  const results = await Promise.allSettled(keys.map(work))
  return results.map((result) => {
    if (result.status === 'fulfilled') return result.value
    return result.reason instanceof Error ? result.reason : new Error(String(result.reason))
  })
}

/**
 * For `batched`, of what writes rows that others may hold: several at once skip those, so that no batch waits for one row while it holds
 * others. `write` returns undefined for what it has not written; such a key is tried by itself then, and waits.
 */
export function skippingLocked<Key, Value>(
  write: (keys: readonly Key[], lock: 'skip' | 'wait') => Promise<readonly (Value | undefined)[]>,
): (keys: readonly Key[]) => Promise<Results<Value | undefined>> {
  return async (keys) => {
    if (keys.length === 1) return write(keys, 'wait')
    const written = new Map((await write(keys, 'skip')).map((value, at) => [keys[at], value]))
    return settleEach(keys, async (key) => written.get(key) ?? (await write([key], 'wait'))[0])
  }
}
