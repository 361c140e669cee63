import DataLoader from 'dataloader'
import type { LimitFunction } from 'p-limit'

const mostAtOnce = 200
/** One that waits for a lock keeps the next ones no longer, in milliseconds. */
const longestWaitMs = 20

/** What becomes of each key of a batch, in their order; each is answered as soon as its own is there. */
type Results<Value> = readonly (Value | Promise<Value>)[]

/**
 * One call for each of what `work` does for many at once: what is asked for while a batch is under way makes the next one, so that a busy
 * process asks the database seldom and an idle one without delay. Where `work` throws what may be one key's fault, each is tried alone, and
 * only those fail that fail then.
 */
export function batched<Key, Value>(
  work: (keys: readonly Key[]) => Promise<Results<Value>>,
): (key: Key) => Promise<Value> {
  let running: Promise<unknown> = Promise.resolve()
  const loader = new DataLoader<Key, Value | Promise<Value>>(
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
  return async (key) => loader.load(key)
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
  return keys.map((key) => work([key]).then(([value]) => value as Value))
}

/**
 * What everybody meets: connections (08), a standby (25), a pooler's other session (26, 42P05), whoever stands in its way (40001), what the
 * server has no more of (53), its end and its limits of time (57).
 */
const ofEverybody = /^(08|25|26|42P05|40001|53|57)/

/** An answer of the database that isn't everybody's, or a fault of ours. */
function mayBeOfOne(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[0-9A-Z]{5}$/.test(code) && !ofEverybody.test(code)
}

/**
 * For `batched`, of what writes rows that others may hold: those are skipped at first, so that no batch waits for one row while it holds
 * others, or keeps others waiting. `write` returns undefined for what it has not written; such a key is tried by itself then, `inTurn`,
 * and waits.
 */
export function skippingLocked<Key, Value>(
  inTurn: LimitFunction,
  write: (keys: readonly Key[], lock: 'skip' | 'wait') => Promise<readonly (Value | undefined)[]>,
): (keys: readonly Key[]) => Promise<Results<Value | undefined>> {
  return async (keys) => {
    const written = new Map((await write(keys, 'skip')).map((value, at) => [keys[at], value]))
    return keys.map((key) => written.get(key) ?? inTurn(() => write([key], 'wait')).then(([value]) => value))
  }
}
