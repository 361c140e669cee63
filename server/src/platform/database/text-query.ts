import pg from 'pg'
import { serialize } from 'pg-protocol'

/** The columns of a row as the database writes them. */
export type TextRow = readonly (string | null)[]
type Done = (error: Error | null | undefined, rows: TextRow[]) => void

// What the library has, but its types don't: hence each `as` here.
type Prepared = { parsedStatements: Record<string, string>; submittedNamedStatements: Record<string, string> }
type Library = typeof pg & { utils: { prepareValue(value: unknown): string | Buffer | null } }
// As said above.
const { prepareValue } = (pg as Library).utils

const executeAndSync = Buffer.concat([serialize.execute(), serialize.sync()])

/**
 * A statement whose columns the caller knows: the database isn't asked to describe them each time, and its messages are
 * sent in one piece instead of four. Together that is a tenth of the processor time of a page of deals.
 */
export class TextQuery implements pg.Submittable {
  readonly name: string | undefined
  readonly text: string
  readonly callback: Done
  readonly #values: unknown[]
  readonly #rows: TextRow[] = []

  constructor({ name, text, values = [] }: pg.QueryConfig, done: Done) {
    this.name = name
    this.text = text
    this.callback = done
    this.#values = values
  }

  /** Returns what can't be sent as an error, as the library wants it. */
  submit(connection: pg.Connection): Error | null {
    // As said above.
    const { parsedStatements, submittedNamedStatements } = connection as pg.Connection & Prepared
    const { name = '', text } = this
    const parsed = name === '' ? undefined : (parsedStatements[name] ?? submittedNamedStatements[name])
    if (parsed !== undefined && parsed !== text) return new Error(`${name} is the name of another statement`)
    const messages: Buffer[] = [executeAndSync]
    try {
      messages.unshift(serialize.bind({ statement: name, values: this.#values, valueMapper: prepareValue }))
    } catch (error) {
      return error instanceof Error ? error : new Error('a value that cannot be written', { cause: error })
    }
    if (parsed === undefined) {
      messages.unshift(serialize.parse({ name, text }))
      if (name !== '') submittedNamedStatements[name] = text
    }
    connection.stream.write(Buffer.concat(messages))
    return null
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.#rows.push(fields)
  }

  handleError(error: Error): void {
    this.callback(error, [])
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows)
  }

  // The library calls these too; what they say is known.
  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}
