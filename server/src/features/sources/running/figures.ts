import type { SourceRun } from '@dealdeck/contract/sources'

/** What this process has done for sources, for `/metrics`. */
export class SourceFigures {
  running = 0
  /** Time spent on runs altogether, and rows held. */
  seconds = 0
  held = 0
  /** When the source was due that waits longest, at the last look, in milliseconds since 1970; undefined where none is. */
  oldestDue: number | undefined
  /** How many sources fail, and how many are silent, at the last look. */
  failing = 0
  silent = 0
  readonly #ended = new Map<string, [kind: string, outcome: string, count: number]>()

  ran(kind: string, outcome: SourceRun['state'], ms: number): void {
    this.seconds += ms / 1000
    const key = `${kind} ${outcome}`
    const [, , count] = this.#ended.get(key) ?? [kind, outcome, 0]
    this.#ended.set(key, [kind, outcome, count + 1])
  }

  /** Runs that ended here, by kind and outcome. */
  get ended(): Iterable<[kind: string, outcome: string, count: number]> {
    return this.#ended.values()
  }
}
