import { createHash } from 'node:crypto'
import { BoundedMap } from '../bounded-map.ts'
import { AppError } from '../errors.ts'

/** Names remembered at most; of more, the longest unused are forgotten. About 12 MB, however long they are. */
const mostKeys = 50_000

/** What other processes are notified of: that a counted attempt was made, or that counting begins anew. */
export type AttemptEvent = 'counted' | 'cleared'

/** An attempt that has begun; one of these ends it. */
export type Attempt = {
  /** It used up one of those allowed. */
  count(): void
  /** It used up none. */
  drop(): void
  /** It used up none, and those before it are forgotten. */
  clear(): void
}

type Entry = { counted: number; until: number; underWay: number; waiting: (() => void)[] }

type Options = {
  attempts: number
  seconds: number
  most?: number
  /** Hears what happens here, for other processes' sake. Keys are those of `hear`: 22 characters, however long a name is. */
  tell?: (key: string, event: AttemptEvent) => void
}

/**
 * How often something may go wrong by name, within a time that begins with the first. Nobody knows how an attempt under way
 * will end: as many may be under way as could still go wrong, others wait for them. Whoever sends ever new names costs no
 * more than `most` of them.
 */
export class AttemptLimit {
  readonly #entries: BoundedMap<string, Entry>
  readonly #attempts: number
  readonly #ms: number
  readonly #tell: Options['tell']

  constructor({ attempts, seconds, most = mostKeys, tell }: Options) {
    this.#attempts = attempts
    this.#ms = seconds * 1000
    this.#entries = new BoundedMap(most)
    this.#tell = tell
  }

  /** How many names are remembered. */
  get size(): number {
    return this.#entries.size
  }

  /** Begins an attempt. Throws TOO_MANY_REQUESTS, with the time to wait, when too many went wrong. */
  async begin(name: string): Promise<Attempt> {
    const key = keyOf(name)
    for (;;) {
      const entry = this.#use(key)
      if (entry.counted >= this.#attempts) throw tooMany(entry.until - Date.now())
      if (entry.counted + entry.underWay < this.#attempts) {
        entry.underWay += 1
        return this.#attempt(key, entry)
      }
      await new Promise<void>((resolve) => entry.waiting.push(resolve))
    }
  }

  /** Takes over what happened in another process. */
  hear(key: string, event: AttemptEvent): void {
    const entry = this.#use(key)
    if (event === 'counted') this.#count(entry)
    else entry.counted = 0
    this.#forgetIdle(key, entry)
  }

  #attempt(key: string, entry: Entry): Attempt {
    const end = (event?: AttemptEvent) => {
      const isNews = event === 'counted' || entry.counted > 0
      entry.underWay -= 1
      if (event === 'counted') this.#count(entry)
      else if (event === 'cleared') entry.counted = 0
      this.#forgetIdle(key, entry)
      for (const goOn of entry.waiting.splice(0)) goOn()
      if (event && isNews) this.#tell?.(key, event)
    }
    return { count: () => end('counted'), drop: () => end(), clear: () => end('cleared') }
  }

  #count(entry: Entry): void {
    if (entry.counted === 0) entry.until = Date.now() + this.#ms
    entry.counted += 1
  }

  /** The entry of a key, without what is over, moved to the end: the map is in order of last use. */
  #use(key: string): Entry {
    this.#forgetOver()
    const entry = this.#entries.get(key) ?? { counted: 0, until: 0, underWay: 0, waiting: [] }
    if (entry.until <= Date.now()) entry.counted = 0
    this.#entries.set(key, entry)
    return entry
  }

  /** Forgets the longest unused that are over; so nobody is remembered longer after their last use than it counts. */
  #forgetOver(): void {
    for (const [key, { until, underWay }] of this.#entries) {
      if (until > Date.now() || underWay > 0) return
      this.#entries.delete(key)
    }
  }

  #forgetIdle(key: string, entry: Entry): void {
    if (entry.counted === 0 && entry.underWay === 0 && this.#entries.get(key) === entry)
      this.#entries.delete(key)
  }
}

/** Names are as long as those who send them like; 132 bits of a hash tell them apart as well. */
function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 22)
}

function tooMany(ms: number): AppError {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
  return new AppError('TOO_MANY_REQUESTS', `Too many attempts. Please try again in ${wait}.`, {
    retryAfter: seconds,
  })
}
