import { Readable } from 'node:stream'
import type { Insertable } from 'kysely'
import { readChanges } from '../src/features/deals/following/changes.ts'
import type { Handler } from '../src/features/deals/following/follower.ts'
import { importBody } from '../src/features/ingest/actions.ts'
import { sentBodies } from '../src/features/ingest/reading/limits.ts'
import type { Databases } from '../src/platform/database/database.ts'
import type { Tables } from '../src/platform/database/tables.ts'
import { readSettings } from '../src/platform/settings.ts'
import { makeUser } from './factories.ts'

const { MARKETPLACE: marketplace } = readSettings({})

/** A webhook of a member, or without an owner of the group, that is in use. */
export async function makeDestination(
  { durableDb }: Databases,
  values: Partial<Insertable<Tables['destinations']>> = {},
): Promise<number> {
  const { id } = await durableDb
    .insertInto('destinations')
    .values({ kind: 'webhook', name: 'Hook', settings: '{}', state: 'ok', ...values })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** A saved search of that question, whose matches go to that destination. Ids of both. */
export async function makeAlert(
  databases: Databases,
  {
    question,
    destination,
    owner,
    ...values
  }: { question: string; destination: number; owner: number } & Partial<
    Omit<Insertable<Tables['alerts']>, 'destination_id'>
  >,
): Promise<{ id: number; searchId: number }> {
  const { id: searchId } = await databases.durableDb
    .insertInto('saved_searches')
    .values({ owner_id: owner, name: question || 'all', question, made_at_revision: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id } = await databases.durableDb
    .insertInto('alerts')
    .values({ destination_id: destination, search_id: searchId, ...values })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, searchId }
}

/** A member with a destination and an alert of each question. */
export async function makeReader(databases: Databases, ...questions: string[]) {
  const { id: owner } = await makeUser(databases)
  const destination = await makeDestination(databases, { owner_id: owner })
  const alerts: number[] = []
  for (const question of questions)
    alerts.push((await makeAlert(databases, { question, destination, owner })).id)
  return { owner, destination, alerts }
}

/** A row of an import; `minutes` is when it was seen, after a fixed time of the last days. */
export const row = (asin: string, price: number, minutes: number, more: object = {}) => ({
  ...{ asin, title: 'Folding lamp', price, original_price: 100, availability: 'In stock' },
  ...{ observed_at: new Date(started + minutes * 60_000).toISOString(), ...more },
})
const started = Date.now() - 2 * 86_400_000

export async function importRows(databases: Databases, ...rows: object[]): Promise<void> {
  const options = { ...{ dry_run: false, map: '', availability: '' }, source: 'test', limits: sentBodies }
  const body = Readable.from([Buffer.from(JSON.stringify(rows))])
  await importBody({ databases, marketplace, clock: () => new Date() }, body, options)
}

/** A handler that is told what a follower is, from where it was to where deals are now, whenever that is asked for. */
export function steps({ durablePool }: Databases, handler: Handler) {
  let position: number | undefined
  const inTransaction = async (end: 'commit' | 'rollback', from: number) => {
    const client = await durablePool.connect()
    try {
      await client.query('begin')
      const changes = await readChanges(client, from)
      if (changes) await handler(changes, client)
      await client.query(end)
      return changes
    } finally {
      client.release()
    }
  }
  return {
    begin: async () => {
      const { rows } = await durablePool.query('select revision from feed_state')
      position = rows[0]?.revision
    },
    /** All that has happened since. */
    run: async () => {
      for (;;) {
        const changes = await inTransaction('commit', position ?? 0)
        if (!changes) return
        position = changes.through
      }
    },
    /** The next of it, as if the process had been killed right before its commit. */
    killed: () => inTransaction('rollback', position ?? 0),
    /** As if it weren't known what has happened since. */
    missed: async () => {
      const client = await durablePool.connect()
      await client.query('begin')
      const { rows } = await client.query('select revision from feed_state')
      position = rows[0]?.revision ?? 0
      await handler({ after: -1, through: position ?? 0, current: 0, revisions: [], hasMissed: true }, client)
      await client.query('commit')
      client.release()
    },
  }
}

/** All messages written down, the oldest first. */
export async function readDeliveries({ durablePool }: Databases) {
  const { rows } = await durablePool.query<{
    destination: number
    kind: string
    state: string
    deal: string
    post: number
    alerts: number[]
    wanted: number
    urgent: boolean
    price: number
  }>(
    `select y.destination_id as destination, y.kind, y.state, d.asin as deal, y.post, l.alert_ids as alerts, y.wanted_version as wanted,
       y.is_urgent as urgent, e.price
     from deliveries y join delivery_deals l on l.delivery_id = y.id join deals d on d.id = l.deal_id
       left join alert_episodes e on e.id = l.episode_id
     order by y.id, d.asin`,
  )
  return rows
}

/** As if everything written down had been sent. */
export async function markSent({ durablePool }: Databases): Promise<void> {
  await durablePool.query(
    `update deliveries set state = 'sent', next_at = null, message_id = 'm' || id, sent_at = now(), sent_version = wanted_version
     where state = 'queued'`,
  )
}
