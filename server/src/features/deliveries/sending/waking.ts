import type pg from 'pg'

/** The channel on which processes hear that there is something to send. */
export const outboxChannel = 'dealdeck_outbox'

/** Wakes whoever sends, in all processes, when the transaction commits. */
export async function notifyOutbox(client: pg.Pool | pg.ClientBase): Promise<void> {
  await client.query(`select pg_notify('${outboxChannel}', '')`)
}
