import { mostHeld } from '@dealdeck/contract/quarantine'
import type pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'

/** Rows by id, or all that wait of a source and rule up to the newest that somebody has seen there, the oldest first. */
export type ChosenRows = {
  ids?: readonly number[] | undefined
  group?: { source: number; rule: string; newest: number } | undefined
}

/** A row that was taken out of those that wait. */
type Taken = {
  id: number
  source_id: number
  asin: string
  run_id: number | null
  rule: string
  deal: unknown
}
export type OfSource = { id: number; name: string; keeps_history: boolean; rows: Taken[] }

/** Takes rows out of those that wait, in a transaction with `more`, and returns them by source. */
export async function take(
  databases: Databases,
  { ids, group }: ChosenRows,
  state: 'released' | 'refused',
  more: (client: pg.ClientBase, sources: OfSource[]) => Promise<void> = async () => {},
): Promise<OfSource[]> {
  return inTransaction(databases, async (client) => {
    const named = ids ?? (group ? await idsOf(client, group) : [])
    const { rows } = await client.query<Taken & Omit<OfSource, 'id' | 'rows'>>(
      `update quarantine q set state = $2, decided_at = now() from sources s
       where q.id = any($1) and q.state = 'held' and s.id = q.source_id
       returning q.id, q.source_id, q.asin, q.run_id, q.rule, q.deal, s.name, s.keeps_history`,
      [named, state],
    )
    const sources = new Map<number, OfSource>()
    for (const { name, keeps_history, ...row } of rows) {
      const source = sources.get(row.source_id) ?? { id: row.source_id, name, keeps_history, rows: [] }
      source.rows.push(row)
      sources.set(row.source_id, source)
    }
    const taken = [...sources.values()]
    await more(client, taken)
    return taken
  })
}

async function idsOf(
  client: pg.ClientBase,
  { source, rule, newest }: NonNullable<ChosenRows['group']>,
): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `select id from quarantine where source_id = $1 and state = 'held' and rule = $2 and id <= $3 order by id limit ${mostHeld}`,
    [source, rule, newest],
  )
  return rows.map(({ id }) => id)
}

/** Runs `work` in a transaction on a durable connection; rolls back and rethrows on any error. */
export async function inTransaction<T>(
  { durablePool }: Databases,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await durablePool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failure) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
}
