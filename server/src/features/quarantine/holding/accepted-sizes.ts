import type pg from 'pg'
import { baselineSql } from '../../sources/rules.ts'

/** Rows of a source of which somebody has decided. */
type DecidedRows = { id: number; rows: readonly { run_id: number | null; rule: string; deal: unknown }[] }

/**
 * Makes the size of a document that waited as a whole one that the next ones are compared with: once nothing of it waits any more and
 * some of it was let through, and once only: what somebody is just letting through waits until it is. Belongs at the end of the transaction in which its rows are decided.
 */
export async function acceptSizes(
  client: pg.ClientBase,
  { id, rows }: DecidedRows,
  decision: 'released' | 'refused',
): Promise<void> {
  const documents = new Map<string, { run: number | null; rule: string; size: number }>()
  for (const { run_id: run, rule, deal } of rows) {
    const size: unknown = Object(deal).document_items
    if (typeof size === 'number' && size > 0) documents.set(`${run} ${rule}`, { run, rule, size })
  }
  if (documents.size === 0) return
  // Of two who decide the last rows at once the second one sees what the first has done.
  await client.query('select from sources where id = $1 for update', [id])
  for (const [name, { run, rule, size }] of documents) {
    if (decision === 'released')
      await client.query(
        `update sources set baseline = coalesce(baseline, '{}') || jsonb_build_object('released', $2::text)
         where id = $1 and baseline ->> 'accepted' is distinct from $2`,
        [id, name],
      )
    await client.query(
      `update sources set baseline = baseline || jsonb_build_object('released', null, 'accepted', $2::text, 'sizes', ${baselineSql.sizesWith('to_jsonb($3::integer)')})
       where id = $1 and baseline ->> 'released' = $2 and not exists (
         select from quarantine where source_id = $1 and state in ('held', 'released') and run_id is not distinct from $4 and rule = $5)`,
      [id, name, size, run, rule],
    )
  }
}
