import { type PreparedStatement, prepared } from '../../../platform/database/prepared.ts'

/** What is done about rows that others hold: left out, or waited for. */
export type Lock = 'skip' | 'wait'

/**
 * `given`, the rows of JSON ($1) with these columns, and `held`, the ids of a table's rows ($2) that are locked: what statements that write
 * several rows begin with.
 */
export const givenAndHeld = (columns: string, table: string, lock: string): string =>
  `with given as materialized (
     select * from json_to_recordset($1::json) as given (${columns})
   ), held as materialized (
     select id from ${table} where id = any($2) for no key update ${lock}
   )`

/** The parameters of those two. */
export const givenValues = (rows: readonly { id: number }[]) => [jsonOf(rows), rows.map(({ id }) => id)]

/** A statement that writes several rows, without those that others hold; and the same for one row, which waits for it. */
export function lockingStatements(
  name: string,
  textOf: (lock: string) => string,
): Record<Lock, PreparedStatement> {
  return { skip: prepared(name, textOf('skip locked')), wait: prepared(name, textOf('')) }
}

/** Rows as JSON that PostgreSQL reads: answers are cut in the middle of a sign, and services say what they like. */
const jsonOf = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value,
  )
