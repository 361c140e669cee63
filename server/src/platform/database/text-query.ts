import pg from 'pg'
import { serialize } from 'pg-protocol'
import { type ByteRow, byteText, takeRows } from './byte-rows.ts'

type Done = (error: Error | null | undefined, rows: ByteRow[]) => void

// What the library has, but its types don't: hence each `as` here.
type Prepared = { parsedStatements: Record<string, string>; submittedNamedStatements: Record<string, string> }
type Library = typeof pg & { utils: { prepareValue(value: unknown): string | Buffer | null } }
// As said above.
const { prepareValue } = (pg as Library).utils

const executeAndSync = Buffer.concat([serialize.execute(), serialize.sync()])

/**
 * A statement whose columns the caller knows: the database isn't asked to describe them each time, and its messages are
 * sent in one piece instead of four. Together that is a tenth of the processor time of a page of deals. Its rows come as bytes.
 */
export class TextQuery implements pg.Submittable {
  readonly name: string | undefined
  readonly text: string
  readonly callback: Done
  readonly #values: unknown[]
  readonly #rows: ByteRow[] = []

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
    takeRows(connection, (row) => this.#rows.push(row))
    connection.stream.write(Buffer.concat(messages))
    return null
  }

  /** On a connection that can't hand rows over as bytes. */
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows.push(fields.map((field) => field && byteText(field)))
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
