import type { LogFn, Logger } from 'pino'

/** Of lines that say the same one is written at once, and one in so many milliseconds with how many there were since. */
const everyMs = 60_000
/** What lines that say the same may differ in: who met with it, and how long it took. */
const incidental = new Set(['by', 'address', 'ms'])
/** Kinds of lines remembered at most, and callers named of each; beyond that, each line is written. */
const [mostKinds, mostCallers] = [1_000, 10]

type Kind = {
  fields: object
  count: number
  callers: Set<unknown>
  since: Date
  write: (fields: object) => void
}

/** Keeps what fails a thousand times a second from filling the log: for pino's hook `logMethod`, one for each log. */
export class RepeatedLines {
  readonly #kinds = new Map<string, Kind>()
  readonly #lowest: number

  /** Lines below `lowest`, a level, are each written. */
  constructor(lowest: number) {
    this.#lowest = lowest
  }

  /** Writes a line, or counts it. */
  note(log: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
    const [given, ...text] = args
    if (level < this.#lowest || typeof given !== 'object' || given === null) {
      method.apply(log, args)
      return
    }
    // As pino takes an error handed as it is, which libraries do.
    const fields = given instanceof Error ? { err: given } : given
    const key = `${level} ${text.join(' ')} ${meaningOf(fields)}`
    const known = this.#kinds.get(key)
    if (known) {
      known.count += 1
      if ('by' in fields && known.callers.size < mostCallers) known.callers.add(fields.by)
      return
    }
    method.apply(log, args)
    if (this.#kinds.size >= mostKinds) return
    const write = (more: object) => method.call(log, more, ...text)
    this.#kinds.set(key, { fields, count: 0, callers: new Set(), since: new Date(), write })
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
  const { fields, count, callers, since } = kind
  if (count === 0) return
  const own = Object.fromEntries(Object.entries(fields).filter(([name]) => !incidental.has(name)))
  kind.write({ ...own, repeated: count, since, ...(callers.size > 0 && { by: [...callers] }) })
  kind.count = 0
  kind.callers = new Set()
  kind.since = new Date()
}

/** What a line's fields say, without what is incidental: of an error its kind and message. */
function meaningOf(fields: object): string {
  const said = (value: unknown) => {
    if (value instanceof Error) return `${value.name} ${'code' in value ? value.code : ''} ${value.message}`
    return typeof value === 'object' ? '' : String(value)
  }
  const parts = Object.entries(fields).filter(([name]) => !incidental.has(name))
  return parts.map(([name, value]) => `${name}: ${said(value)}`).join('\n')
}
