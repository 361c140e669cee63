import { z } from 'zod'
import { BoundedMap } from './bounded-map.ts'
import type { Databases } from './database.ts'
import type { LiveBus } from './live-bus.ts'
import type { Peers } from './member-gate.ts'
import { ProcessChannel } from './process-channel.ts'

/** On it processes tell each other of members who have much under way. */
const loadChannel = 'dealdeck_load'
/** How long a process is believed; whoever still has as much says so again before. In milliseconds. */
const believedMs = 3_000
/** No process tells the same more often. */
const tellEveryMs = 1_000
/** Members remembered at most, of either kind; of more, the longest unheard are forgotten. */
const mostRemembered = 10_000

const messageSchema = z.object({ gate: z.string(), member: z.string(), count: z.number().int().min(0) })
type Message = z.infer<typeof messageSchema>

type Heard = Map<string, { count: number; until: number }>

/**
 * What members have under way in the processes that share this database, told by NOTIFY: nobody waits for it, and
 * members who ask for little are never spoken of. So a limit may be passed for a moment, but not for good.
 */
export class PeerLoad implements Peers {
  readonly #channel: ProcessChannel<Message>
  /** By gate and member: what each other process said. */
  readonly #heard = new BoundedMap<string, Heard>(mostRemembered)
  readonly #told = new BoundedMap<string, number>(mostRemembered)

  constructor(databases: Databases, bus: LiveBus) {
    this.#channel = new ProcessChannel(databases, bus, {
      ...{ name: loadChannel, schema: messageSchema },
      hear: (message, sender) => this.#hear(message, sender),
    })
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
    this.#told.set(key, now)
    void this.#channel.send({ gate, member, count })
  }

  #hear({ gate, member, count }: Message, sender: string): void {
    const key = `${gate} ${member}`
    const now = performance.now()
    const heard: Heard = new Map([...(this.#heard.get(key) ?? [])].filter(([, { until }]) => until > now))
    heard.set(sender, { count, until: now + believedMs })
    this.#heard.set(key, heard)
  }
}
