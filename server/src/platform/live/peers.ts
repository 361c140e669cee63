import { z } from 'zod'
import { BoundedMap } from '../bounded-map.ts'
import type { Databases } from '../database/database.ts'
import type { LoadSource, Peers } from '../limits/member-gate.ts'
import type { LiveBus } from './live-bus.ts'
import { ProcessChannel } from './process-channel.ts'

/** On it processes tell each other of members who have much under way. */
const loadChannel = 'dealdeck_load'
/** How often a process tells the others what lasts, in milliseconds. */
const tellEveryMs = 1_000
/** How long what a process said counts; whoever still has as much has said so again before. In milliseconds. */
const reportTtlMs = 3_000
/** How often a process that has nothing else to tell says that it is there, in intervals of `tellEveryMs`. */
const helloEvery = 10
/** How long a process that was heard counts as being there, in milliseconds. */
const thereMs = 30_000
/** Members remembered at most; of more, the longest unheard are forgotten. */
const mostRemembered = 10_000
const mostProcesses = 1_000
/** Bytes of one message at most: with its envelope below the 8,000 that NOTIFY takes. */
const messageBytes = 7_500

/** What a process has under way: gate, member, how many. Without any it only says that it is there. */
const messageSchema = z.array(z.tuple([z.string(), z.string(), z.number().int().min(0)]))
type Message = z.infer<typeof messageSchema>

/**
 * What members have under way in the processes that share this database. Each tells the others once a second of all members
 * who have as much as they may, for as long as they have; so a limit may be passed for a moment, but not for good. Nobody
 * waits for that, and a process alone says no more than that it is there.
 */
export class PeerLoad implements Peers {
  readonly #bus: LiveBus
  readonly #channel: ProcessChannel<Message>
  readonly #sources = new Map<string, LoadSource>()
  /** By gate and member: what each other process said, and until when that counts. */
  readonly #heard = new BoundedMap<string, Map<string, { count: number; until: number }>>(mostRemembered)
  /** The other processes, and when each was last heard. */
  readonly #others = new BoundedMap<string, number>(mostProcesses)
  readonly #telling = setInterval(() => this.#tell(), tellEveryMs).unref()
  #sinceHello = 0
  #isSending = false

  constructor(databases: Databases, bus: LiveBus) {
    this.#bus = bus
    this.#channel = new ProcessChannel(databases, bus, {
      ...{ name: loadChannel, schema: messageSchema },
      hear: (message, sender) => this.#hear(message, sender),
    })
    bus.onConnect(() => this.#send([[]]))
  }

  elsewhere(gate: string, member: string): number {
    // Hardly ever is there anything, and this is asked of each request.
    if (this.#heard.size === 0) return 0
    return this.#counts(gate, member).reduce((sum, count) => sum + count, 0)
  }

  otherProcesses(gate: string, member: string): number {
    return this.#counts(gate, member).length
  }

  watch(gate: string, source: LoadSource): void {
    this.#sources.set(gate, source)
  }

  /** From now on nothing is sent any more. */
  close(): void {
    clearInterval(this.#telling)
  }

  /** What still counts of what others said, one number a process. */
  #counts(gate: string, member: string): number[] {
    const now = performance.now()
    const heard = this.#heard.get(`${gate} ${member}`)?.values() ?? []
    return [...heard].flatMap(({ count, until }) => (until > now && count > 0 ? [count] : []))
  }

  #tell(): void {
    this.#sinceHello += 1
    // While nothing can be heard, the database is away or about to come back.
    if (this.#isSending || !this.#bus.connected) return
    const messages = this.#isAlone() ? [] : this.#messages()
    if (messages.length > 0) this.#send(messages)
    else if (this.#sinceHello >= helloEvery) this.#send([[]])
  }

  #isAlone(): boolean {
    const since = performance.now() - thereMs
    return ![...this.#others.values()].some((heardAt) => heardAt > since)
  }

  /** What is to be sent, in as many messages as it takes. */
  #messages(): Message[] {
    const messages: Message[] = []
    let room = 0
    for (const [gate, source] of this.#sources) {
      for (const [member, count] of source()) {
        const bytes = Buffer.byteLength(JSON.stringify([gate, member, count])) + 1
        if (bytes > room) {
          messages.push([])
          room = messageBytes
        }
        room -= bytes
        messages.at(-1)?.push([gate, member, count])
      }
    }
    return messages
  }

  #send(messages: Message[]): void {
    this.#sinceHello = 0
    this.#isSending = true
    void this.#channel.send(...messages).then(() => {
      this.#isSending = false
    })
  }

  #hear(message: Message, sender: string): void {
    const now = performance.now()
    const isNew = (this.#others.get(sender) ?? Number.NEGATIVE_INFINITY) <= now - thereMs
    this.#others.set(sender, now)
    // Whoever has just come needn't wait to learn that it isn't alone.
    if (isNew) this.#send([[]])
    for (const [gate, member, count] of message) {
      const key = `${gate} ${member}`
      const known = [...(this.#heard.get(key) ?? [])].filter(([, { until }]) => until > now)
      this.#heard.set(key, new Map(known).set(sender, { count, until: now + reportTtlMs }))
    }
  }
}
