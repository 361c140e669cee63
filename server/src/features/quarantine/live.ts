import type { sourceEventSchema } from '@dealdeck/contract/sources'
import type pg from 'pg'
import type { z } from 'zod'
import { sourcesChannel } from '../sources/rules.ts'

/** Tells every administrator, when the transaction commits, that rows of a source were decided: whoever has them on the screen looks again. */
export async function publishDecision(client: pg.ClientBase, sourceId: number): Promise<void> {
  const event: z.infer<typeof sourceEventSchema> = { source_id: sourceId, progress: null }
  await client.query('select pg_notify($1, $2)', [sourcesChannel, JSON.stringify(event)])
}
