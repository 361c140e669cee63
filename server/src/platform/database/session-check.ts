import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** A pooler with a single connection of its own would let the second of ours wait for ever. */
const patienceMs = 10_000
const notificationMs = 5_000

/**
 * Whether two connections each keep their session from one transaction to the next and hear what the other notifies, as
 * they do on PostgreSQL itself, and not through a pooler in transaction mode. Returns what is wrong, or undefined. Both
 * connections may be unusable afterwards unless nothing is.
 */
export async function findSessionFault(
  one: pg.Client,
  other: pg.Client,
  signal: AbortSignal,
): Promise<string | undefined> {
  const over = new AbortController()
  const patience = sleep(patienceMs, undefined, { signal: AbortSignal.any([signal, over.signal]) })
  try {
    return await Promise.race([
      probe(one, other),
      patience.then(() => 'it does not let two connections work at the same time'),
    ])
  } finally {
    over.abort()
  }
}

async function probe(one: pg.Client, other: pg.Client): Promise<string | undefined> {
  const name = `dealdeck_${randomBytes(12).toString('hex')}`
  const first = await sessionsOf([one, other], `set_config('dealdeck.session', '${name}', false)`)
  // Whether a pooler gives out first what came back first or what came back last: in one of these orders they change.
  for (const order of [
    [one, other],
    [other, one],
  ] as const) {
    const seen = await sessionsOf(order, "current_setting('dealdeck.session', true)")
    const isKept = order.every((client) => seen.get(client) === first.get(client))
    if (!isKept) return 'a session does not last from one transaction to the next'
  }
  return (await hears(one, other, name)) ? undefined : 'notifications do not arrive'
}

/** What tells each one's session, asked in transactions that are all open at once, so that no two can share one. */
async function sessionsOf(clients: readonly pg.Client[], mark: string): Promise<Map<pg.Client, string>> {
  const sessions = new Map<pg.Client, string>()
  for (const client of clients) {
    await client.query('begin')
    const { rows } = await client.query<{ session: string }>(
      `select concat_ws(' ', pg_backend_pid(), ${mark}) as session`,
    )
    sessions.set(client, rows[0]?.session ?? '')
  }
  for (const client of clients) await client.query('commit')
  return sessions
}

async function hears(listener: pg.Client, speaker: pg.Client, channel: string): Promise<boolean> {
  await listener.query(`listen ${channel}`)
  const heard = once(listener, 'notification', { signal: AbortSignal.timeout(notificationMs) })
  heard.catch(() => {})
  await speaker.query(`notify ${channel}`)
  return heard.then(
    () => true,
    () => false,
  )
}
