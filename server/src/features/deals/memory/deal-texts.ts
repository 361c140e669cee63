import type { ByteText } from '../../../platform/database/byte-rows.ts'

/** What is cached of one installation's deals at most. */
const mostBytes = 64_000_000

type Entry = { version: number; text: ByteText }

/**
 * The JSON of deals that were shown before, by id and version: as long as the index knows of no change, it needs no
 * reading. What was asked for longest ago goes first, half of all at a time.
 */
export class DealTexts {
  readonly #most: number
  #recent = new Map<number, Entry>()
  #before = new Map<number, Entry>()
  #bytes = 0

  constructor(most = mostBytes) {
    this.#most = most
  }

  /** A deal's JSON if it is of this version. */
  get(id: number, version: number): ByteText | undefined {
    const recent = this.#recent.get(id)
    if (recent) return recent.version === version ? recent.text : undefined
    const before = this.#before.get(id)
    if (before?.version !== version) return undefined
    this.#add(id, before)
    return before.text
  }

  /** Keeps a deal's JSON, read when it was of this version or a later one. */
  set(id: number, version: number, text: ByteText): void {
    this.#add(id, { version, text })
  }

  #add(id: number, entry: Entry): void {
    this.#bytes += entry.text.length - (this.#recent.get(id)?.text.length ?? 0)
    this.#recent.set(id, entry)
    if (this.#bytes < this.#most / 2) return
    this.#before = this.#recent
    this.#recent = new Map()
    this.#bytes = 0
  }
}
