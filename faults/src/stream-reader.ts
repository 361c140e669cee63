import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { Installation } from './installation.ts'

/** Reads the live stream and remembers what it received of each revision. */
export class StreamReader {
  readonly #told = new Map<number, string>()
  /** The id of the last event it received. */
  #last: string | undefined
  /** Called with every event, as soon as it is there. */
  onEvent: () => void = () => {}

  /** How many revisions it knows. */
  get count(): number {
    return this.#told.size
  }

  /** Reads until the stream ends, or until it is stopped. Never throws. */
  async run(client: Client, signal: AbortSignal): Promise<void> {
    for await (const event of eventsOf(client, signal)) this.#take(event)
  }

  /**
   * What was announced and never received was taken back by a crash: then its next connection has to say that
   * everything must be fetched again. Without a crash nothing is taken back at all.
   */
  async check(installation: Installation, client: Client): Promise<string[]> {
    const rows = await installation.query<Record<string, string | string[]>>(
      'select revision, added, changed, removed from feed_events where revision = any($1)',
      [[...this.#told.keys()]],
    )
    const kept = new Map(rows.map((row) => [Number(row.revision), summary(row)]))
    const wrong = [...this.#told].filter(([revision, told]) => kept.get(revision) !== told)
    this.#told.clear()
    if (wrong.length === 0 || (await isToldToReset(client, this.#last))) return []
    return wrong.map(
      ([revision, told]) =>
        `Revision ${revision} was shown as ${told} and is ${kept.get(revision) ?? 'gone'}`,
    )
  }

  #take(event: string): void {
    const data = /^event: deals\ndata: (.*)$/m.exec(event)?.[1]
    if (data === undefined) return
    const deals = JSON.parse(data)
    this.#last = /^id: (\S+)$/m.exec(event)?.[1]
    this.#told.set(Number(deals.revision), summary(deals))
    this.onEvent()
  }
}

/** Whether a reader that had that revision last soon receives a reset. */
async function isToldToReset(client: Client, last: string | undefined): Promise<boolean> {
  const late = AbortSignal.timeout(10_000)
  while (!late.aborted) {
    for await (const event of eventsOf(client, late, last)) if (/^event: reset$/m.test(event)) return true
    await sleep(100)
  }
  return false
}

/** The events of one connection to the live stream, as texts, after `last` when given, until it ends. Never throws. */
export async function* eventsOf(client: Client, signal: AbortSignal, last?: string): AsyncGenerator<string> {
  try {
    const response = await fetch(`${client.origin}/api/products/events`, {
      headers: { cookie: client.cookie, ...(last !== undefined && { 'last-event-id': last }) },
      signal,
    })
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (text + chunk).split('\n\n')
      text = events.pop() ?? ''
      yield* events
    }
  } catch {
    // The server died, or nobody wants to know any more.
  }
}

/** The ids of an event, in few characters. */
export function summary(event: Record<string, unknown>): string {
  return ['added', 'changed', 'removed']
    .map((kind) => {
      const ids = [event[kind]].flat().map(Number)
      return `${kind} ${ids.length} (${ids.reduce((sum, id) => (sum * 31 + id) % 1_000_003, 0)})`
    })
    .join(', ')
}
