import type { Client } from './client.ts'
import { FeedReplay, findContradictions } from './consistency.ts'
import { Edits } from './edits.ts'
import { Imports } from './imports.ts'
import type { Installation } from './installation.ts'
import { StreamReader } from './stream-reader.ts'

/** Imports, edits of every kind and a reader of the stream, all at once on one installation, and what they know of it. */
export class Workload {
  readonly #installation: Installation
  #client: Client | undefined
  readonly #imports: Imports[]
  readonly #edits = [new Edits('filter'), new Edits('word'), new Edits('user')]
  readonly #replay: FeedReplay
  readonly reader = new StreamReader()

  /** `sizes`: how many rows each list has that is imported again and again, side by side. `maySkip`: see FeedReplay. */
  constructor(installation: Installation, sizes: number[], maySkip = false) {
    this.#replay = new FeedReplay(maySkip)
    this.#installation = installation
    this.#imports = sizes.map((size, n) => new Imports('KLMN'.charAt(n), size))
  }

  /** How many writes were acknowledged so far. */
  get acknowledged(): { imports: number; edits: number } {
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
    return {
      imports: sum(this.#imports.map(({ acknowledged }) => acknowledged)),
      edits: sum(this.#edits.map(({ journal }) => journal.acknowledged)),
    }
  }

  /** What the administrator's browser would send. */
  get cookie(): string {
    return this.#client?.cookie ?? ''
  }

  /** Signs in when that is still to be done. */
  async signIn(): Promise<void> {
    await this.#administrator()
  }

  /** Goes on until it is stopped; returns when every request has its answer or has lost its server. */
  async run(signal: AbortSignal): Promise<void> {
    const client = await this.#administrator()
    const reading = this.reader.run(client, signal)
    await Promise.all([...this.#imports, ...this.#edits].map((one) => one.run(client, signal)))
    await reading
  }

  /** Everything that is lost, half there, or contradicts itself. */
  async check(): Promise<string[]> {
    const problems = [
      await findContradictions(this.#installation),
      await this.#replay.check(this.#installation),
    ]
    for (const one of [...this.#imports, ...this.#edits]) problems.push(await one.check(this.#installation))
    problems.push(await this.reader.check(this.#installation, await this.#administrator()))
    return problems.flat()
  }

  /** Hands in once more what was broken off, so that the next round begins with something known. */
  async complete(): Promise<void> {
    const client = await this.#administrator()
    for (const imports of this.#imports) await imports.complete(client)
  }

  /** Signs in once: sessions outlive the application, and the database server too. */
  async #administrator(): Promise<Client> {
    this.#client ??= await this.#installation.administrator()
    this.#client.origin = this.#installation.origin
    return this.#client
  }
}
