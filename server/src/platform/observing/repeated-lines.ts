import type { LogFn, Logger } from 'pino'

/** Of lines that say the same the first are written at once, and one in so many milliseconds with how many there were since. */
const everyMs = 60_000
/** What lines that say the same may differ in: who met with it, and how long it took. */
const incidental = new Set(['by', 'address', 'ms'])
const incidentalToCaller = new Set(['ms'])
/** Kinds of lines remembered at most, and callers named of each. */
const [mostKinds, mostCallers] = [1_000, 10]

type Kind = {
  /** What all lines of it say. */
  own: object
  /** How many more are to be written as they are. */
  left: number
  count: number
  callers: Set<unknown>
  since: Date
  write: (fields: object) => void
}

export type RepeatedLinesOptions = {
  /** How many of a kind are written as they are. */
  first: number
  /** Whether lines about different callers are of different kinds, as long as there aren't too many. */
  isByCaller: boolean
}

/** Keeps what happens a thousand times a second from filling the log: for pino's hook `logMethod`, of each log its own. */
export class RepeatedLines {
  readonly #kinds = new Map<string, Kind>()
  readonly #options: RepeatedLinesOptions

  constructor(options: RepeatedLinesOptions) {
    this.#options = options
  }

  /** Writes a line, or counts it. */
  note(log: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
    const [given, ...text] = args
    if (typeof given !== 'object' || given === null) {
      method.apply(log, args)
      return
    }
    // As pino takes an error handed as it is, which libraries do.
    const fields = given instanceof Error ? { err: given } : given
    const { first, isByCaller } = this.#options
    const isFull = this.#kinds.size >= mostKinds
    const kindOf = (names: ReadonlySet<string>) => {
      const own = without(names, fields)
      return { own, key: `${level} ${text.join(' ')} ${meaningOf(own)}` }
    }
    let { own, key } = kindOf(isByCaller ? incidentalToCaller : incidental)
    // What callers do are few things, unlike what fails: of too many callers only those are told.
    if (isFull && isByCaller && !this.#kinds.has(key)) ({ own, key } = kindOf(incidental))
    const known = this.#kinds.get(key)
    if (known && known.left > 0) {
      known.left -= 1
      method.apply(log, args)
      return
    }
    if (known) {
      known.count += 1
      if ('by' in fields && !('by' in known.own) && known.callers.size < mostCallers)
        known.callers.add(fields.by)
      return
    }
    method.apply(log, args)
    // Beyond, each line of what fails is written.
    if (isFull && !isByCaller) return
    const write = (more: object) => method.call(log, more, ...text)
    this.#kinds.set(key, { own, left: first - 1, count: 0, callers: new Set(), since: new Date(), write })
    this.#look(key)
  }

  /** Writes at once how many there were of each. */
  flush(): void {
    for (const kind of this.#kinds.values()) tell(kind)
  }

  #look(key: string): void {
    setTimeout(() => {
      const kind = this.#kinds.get(key)
      if (!kind || kind.count === 0) {
        this.#kinds.delete(key)
        return
      }
      tell(kind)
      this.#look(key)
    }, everyMs).unref()
  }
}

function tell(kind: Kind): void {
  const { own, count, callers, since } = kind
  if (count === 0) return
  kind.write({ ...own, repeated: count, since, ...(callers.size > 0 && { by: [...callers] }) })
  kind.count = 0
  kind.callers = new Set()
  kind.since = new Date()
}

function without(names: ReadonlySet<string>, fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)))
}

/** What a line's fields say: of an error its kind and message. */
function meaningOf(fields: object): string {
  const said = (value: unknown) => {
    if (value instanceof Error) return `${value.name} ${'code' in value ? value.code : ''} ${value.message}`
    return typeof value === 'object' ? '' : String(value)
  }
  return Object.entries(fields)
    .map(([name, value]) => `${name}: ${said(value)}`)
    .join('\n')
}
