import { type PreparedStatement, prepared } from '../../../platform/database/prepared.ts'

/** What is done about rows that others hold: left out, or waited for. */
export type Lock = 'skip' | 'wait'

/** A statement that writes several rows, without those that others hold; and the same for one row, which waits for it. */
export function lockingStatements(
  name: string,
  textOf: (lock: string) => string,
): Record<Lock, PreparedStatement> {
  return { skip: prepared(name, textOf('skip locked')), wait: prepared(name, textOf('')) }
}

/** Rows as JSON that PostgreSQL reads: answers are cut in the middle of a sign, and services say what they like. */
export const jsonOf = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : value,
  )
