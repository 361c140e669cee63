/** A value with its labels, in their order. */
export type Reading = [value: number, ...labels: string[]]

/** A figure of `/metrics` that is described where it is counted; a tally only grows. */
export type WatchedFigure = {
  isTally: boolean
  name: string
  help: string
  labels: string[]
  read(): Reading[]
}

/** What a process reports of the sources it asks. */
export type WatchedSources = {
  readonly running: number
  readonly seconds: number
  readonly held: number
  readonly ended: Iterable<[kind: string, outcome: string, count: number]>
  /** In milliseconds since 1970; undefined where none is due. */
  readonly oldestDue: number | undefined
  readonly failing: number
  readonly silent: number
}
