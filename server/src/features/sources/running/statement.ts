import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Database } from '../../../platform/database/database.ts'

/** A transaction as a Kysely or as a connection of pg's. */
export type Transaction = pg.ClientBase | Database

/** Runs a statement in either; returns its rows as T has them. */
export async function runStatement<T extends object>(
  client: Transaction,
  statement: string,
  values: readonly unknown[],
): Promise<T[]> {
  if ('query' in client) return (await client.query<T>(statement, [...values])).rows
  return (await client.executeQuery<T>(CompiledQuery.raw(statement, [...values]))).rows
}
