import type { ImportQuery, ImportResult } from '@dealdeck/contract/ingest'
import type pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'
import { type Actor, recordChange } from '../../audit/actions.ts'

/** Where an import came from, and whether its prices are kept as history; see `ImportOptions`. */
type Origin = { source: string; by?: Actor | string; history?: ImportQuery['history'] }

/** So many refused rows of an import are stored, for so many of the newest imports that somebody handed in, and of each source. */
const mostStoredRejects = 1_000
const [importsWithRejects, runsWithRejects] = [200, 10]

/** The id of an import that is about to be merged: what it writes names it before the history does. */
export async function reserveImportId({ reservedPool }: Databases): Promise<number> {
  // Should it be lost in a crash, so is all that was written after it.
  const { rows } = await reservedPool.query<{ id: number }>(
    "select nextval(pg_get_serial_sequence('imports', 'id')) as id",
  )
  if (!rows[0]) throw new Error('A sequence always answers')
  return rows[0].id
}

/**
 * Writes the history. Its commit waits for the disk, and with it every chunk before it is safe: on the connection of the
 * chunks, since on another one the server may be another, or may have crashed and lost them in between.
 */
export async function record(
  client: pg.ClientBase,
  id: number,
  { source, by = 'command line', history }: Origin,
  startedAt: Date,
  result: ImportResult,
): Promise<void> {
  const { rejected, rejected_by_reason, received, created, updated, unchanged, rejected_total } = result
  const { superseded, missing } = result
  const missing_hidden = missing?.hidden ?? 0
  const counts = {
    received,
    created,
    updated,
    unchanged,
    superseded,
    rejected: rejected_total,
    missing_hidden,
  }
  const name = source.slice(0, 300)
  const handedInBy = typeof by === 'string' ? by : by.username
  await client.query('begin')
  try {
    await client.query(
      `insert into imports (id, source, started_at, finished_at, handed_in_by, received, created, updated, unchanged, rejected, missing_hidden, keeps_history)
       overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        ...[id, name, startedAt, new Date(), handedInBy],
        ...[received, created, updated, unchanged, rejected_total, missing_hidden, history !== 'none'],
      ],
    )
    if (typeof by !== 'string') {
      const subject = { kind: 'import' as const, id, name }
      await recordChange(client, { actor: by, action: 'import', subject, before: null, after: counts })
    }
    if (rejected_total > 0) {
      await client.query('insert into import_rejects (import_id, rejected, by_reason) values ($1, $2, $3)', [
        ...[id, JSON.stringify(rejected.slice(0, mostStoredRejects)), JSON.stringify(rejected_by_reason)],
      ])
      const isRun = handedInBy.startsWith('source ')
      await client.query(
        `delete from import_rejects where import_id = any(array(
           select import_id from import_rejects join imports i on i.id = import_id
           where ${isRun ? 'i.handed_in_by = $1' : `i.handed_in_by not like 'source %'`}
           order by import_id desc offset ${isRun ? runsWithRejects : importsWithRejects}))`,
        isRun ? [handedInBy] : [],
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
