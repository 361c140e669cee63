import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Databases } from './database.ts'
import type { LiveBus } from './live-bus.ts'
import type { Peers } from './member-gate.ts'

/** On it processes tell each other of members who have much under way. */
const loadChannel = 'dealdeck_load'
/** How long a process is believed; whoever still has as much says so again before. In milliseconds. */
const believedMs = 3_000
/** No process tells the same more often. */
const tellEveryMs = 1_000
/** Members remembered at most, of either kind; of more, the longest unheard are forgotten. */
const mostRemembered = 10_000

const wordSchema = z.object({
  process: z.string(),
  gate: z.string(),
  member: z.string(),
  count: z.number().int().min(0),
})

type Heard = Map<string, { count: number; until: number }>

/**
 * What members have under way in the processes that share this database, told by NOTIFY: nobody waits for it, and
 * members who ask for little are never spoken of. So a limit may be passed for a moment, but not for good.
 */
export class PeerLoad implements Peers {
  readonly #databases: Databases
  readonly #process = randomUUID()
  /** By gate and member: what each other process said. */
  readonly #heard = new Map<string, Heard>()
  readonly #told = new Map<string, number>()

  constructor(databases: Databases, bus: LiveBus) {
    this.#databases = databases
    bus.on(loadChannel, (payload) => this.#hear(payload))
  }

  elsewhere(gate: string, member: string): number {
    const heard = this.#heard.get(`${gate} ${member}`)
    if (!heard) return 0
    const now = performance.now()
    let sum = 0
    for (const { count, until } of heard.values()) if (until > now) sum += count
    return sum
  }

  tell(gate: string, member: string, count: number): void {
    const key = `${gate} ${member}`
    const now = performance.now()
    if ((this.#told.get(key) ?? -Infinity) > now - tellEveryMs) return
    remember(this.#told, key, now)
    const word = JSON.stringify({ process: this.#process, gate, member, count })
    // Without it the others know less, which is no reason to fail.
    this.#databases.sessionPool.query('select pg_notify($1, $2)', [loadChannel, word]).catch(() => undefined)
  }

  #hear(payload: string): void {
    let given: unknown
    try {
      given = JSON.parse(payload)
    } catch {
      return
    }
    const { success, data } = wordSchema.safeParse(given)
    if (!success || data.process === this.#process) return
    const key = `${data.gate} ${data.member}`
    const now = performance.now()
    const heard: Heard = new Map([...(this.#heard.get(key) ?? [])].filter(([, { until }]) => until > now))
    heard.set(data.process, { count: data.count, until: now + believedMs })
    remember(this.#heard, key, heard)
  }
}

/** Moving a key to the end keeps the map in order of last use. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > mostRemembered && oldest !== undefined) map.delete(oldest)
}
