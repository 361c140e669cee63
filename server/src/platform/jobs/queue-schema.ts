import pg from 'pg'

/** Where pg-boss keeps its tables, apart from ours: a backup takes ours alone. */
export const queueSchema = 'dealdeck_jobs'
/** The number pg-boss gives its tables; a test holds it against the package. */
export const queueVersion = 46

/** The version of the queue's tables; undefined where there are none, or not all of them. */
export async function readQueueVersion(client: pg.ClientBase | pg.Pool): Promise<number | undefined> {
  const table = await client.query(
    `select from pg_class where oid = to_regclass('${queueSchema}.version') and relkind = 'r'`,
  )
  if (table.rowCount === 0) return undefined
  const { rows } = await client.query<{ version: number }>(`select version from ${queueSchema}.version`)
  return rows[0]?.version
}

/**
 * Makes the queue's tables where there are none or older ones, in the caller's transaction, which holds the migrations'
 * lock. Nothing is taken over: what is to be done is in our own tables. Those of a newer build stay.
 * Throws one clear line when the database's user may not make a schema.
 */
export async function ensureQueue(client: pg.ClientBase): Promise<void> {
  const version = await readQueueVersion(client)
  if (version !== undefined && version >= queueVersion) return
  // Only now: few starts make it, and most commands need nothing of it.
  const { getConstructionPlans } = await import('pg-boss')
  await dropQueue(client)
  try {
    await client.query(withoutTransaction(getConstructionPlans(queueSchema)))
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '42501') throw error
    throw new Error(
      `The database's user may not make the schema ${queueSchema}, where the queue of work in the background lies. Have the database's administrator run: GRANT CREATE ON DATABASE … TO …`,
      { cause: error },
    )
  }
}

/** Throws the queue away, with all that waits in it. */
export async function dropQueue(client: pg.ClientBase): Promise<void> {
  await client.query(`drop schema if exists ${queueSchema} cascade`)
}

/** pg-boss makes its tables in a transaction of its own; here they are part of a larger one. */
function withoutTransaction(plans: string): string {
  const text = plans.replace(/^\s*BEGIN;/, '').replace(/COMMIT;\s*$/, '')
  if (/^\s*(BEGIN|COMMIT);/m.test(text)) throw new Error('pg-boss makes its tables by other statements now')
  return text
}
