import { createHash, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../../platform/database/database.ts'
import type { ServiceBudget, ServicePace } from '../kinds/source-kind.ts'

/** What is set aside for a request that nobody answered, or whose process is gone, is free again after so long, in seconds. */
const reservationSeconds = 120
/** When to look again while it isn't known how fast tokens come back, in seconds. */
const unknownSeconds = 60

/** Keys of services, and of what they lend, are known to the database by this alone. */
export const keyHash = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The budget of a key; `runId` is the run that spends it, null where none does. */
export type ServiceBudgets = (key: string, pace?: ServicePace, runId?: number | null) => ServiceBudget

/** The budgets of all keys, shared by all processes on the database. */
export function serviceBudgets(db: Database): ServiceBudgets {
  return (key, pace, runId = null) =>
    pace ? countedBudget(db, keyHash(key), pace) : reportedBudget(db, keyHash(key), runId)
}

/** What is set aside, of which `condition` on `r`, one of them, is true; what was set aside for too long isn't any more. */
const reservations = (what: string, condition = 'true') =>
  sql.raw(
    `(select ${what} from jsonb_array_elements(b.reservations) r where (r ->> 'until')::timestamptz > now() and ${condition})`,
  )
const liveReserved = sql<number>`${reservations(`coalesce(sum((r ->> 'cost')::real), 0)`)}`
/** Tokens come back in steps of a minute, the next of which is at `as_of`; those of an hour is all that a key can hold. */
const balance = sql<number>`(case when now() < b.as_of then b.tokens else greatest(b.tokens, least(b.refill_per_minute * 60,
  b.tokens + b.refill_per_minute * (1 + floor(extract(epoch from now() - b.as_of) / 60)))) end)`
/** What has to be left. A reserve that the key can never hold would be waited for without end. */
const kept = (cost: number, reserve: number) =>
  sql<number>`least(${reserve}::real, greatest(b.refill_per_minute * 60 - ${cost}::real, 0))`

/** The budget of a service whose answers say what is left. */
function reportedBudget(db: Database, hash: Buffer, runId: number | null): ServiceBudget {
  let taken: { id: string; at: string } | undefined
  return {
    take: async (cost, reserve) => {
      const id = randomUUID()
      const set = sql`jsonb_build_array(jsonb_build_object('id', ${id}::text, 'run', ${runId}::bigint, 'cost', ${cost}::real,
        'until', now() + ${reservationSeconds} * interval '1 second'))`
      // The first request tells what there is; until it is answered, or has lapsed, it stays the only one.
      const { rows } = await sql<{ at: string }>`
        insert into service_budgets as b (key_hash, tokens, refill_per_minute, as_of, reservations)
        values (${hash}, 0, 0, now(), ${set})
        on conflict (key_hash) do update set reservations = ${reservations(`coalesce(jsonb_agg(r), '[]')`)} || excluded.reservations
        where ${balance} - ${liveReserved} - ${cost}::real >= ${kept(cost, reserve)}
          or (b.refill_per_minute = 0 and ${liveReserved} = 0)
        returning now()::text as at`.execute(db)
      taken = rows[0] && { id, at: rows[0].at }
      return taken ? { granted: true } : { granted: false, until: await untilEnough(db, hash, cost, reserve) }
    },
    settle: async ({ tokens, refillPerMinute, refillInMs }) => {
      // An answer may come after one that was given later, and then counts what that one has spent as still there.
      await sql`
        insert into service_budgets as b (key_hash, tokens, refill_per_minute, as_of)
        values (${hash}, ${tokens}, ${refillPerMinute}, now() + ${refillInMs} * interval '1 millisecond')
        on conflict (key_hash) do update set
          tokens = case when b.refill_per_minute = 0 or b.as_of <= ${taken?.at ?? null}::timestamptz then excluded.tokens
            else least(excluded.tokens, ${balance}) end,
          refill_per_minute = excluded.refill_per_minute, as_of = excluded.as_of,
          reservations = (select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(b.reservations) r where r ->> 'id' <> ${taken?.id ?? ''})`.execute(
        db,
      )
      taken = undefined
    },
  }
}

/**
 * Takes back what the killed runs had set aside that `table` names as `run`: whatever a request of theirs has cost stands in the next
 * answer of the service.
 */
export const freeReservations = (table: string) => `update service_budgets b set reservations =
    (select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(b.reservations) r where r -> 'run' is distinct from to_jsonb(o.run))
  from ${table} o where b.reservations @> jsonb_build_array(jsonb_build_object('run', o.run))`

async function untilEnough(db: Database, hash: Buffer, cost: number, reserve: number): Promise<Date> {
  const missing = sql`${cost}::real + ${kept(cost, reserve)} + ${liveReserved} - b.tokens`
  const { rows } = await sql<{ until: Date }>`
    select greatest(now() + interval '1 second', case when b.refill_per_minute > 0
      then b.as_of + (ceil((${missing}) / b.refill_per_minute) - 1) * interval '1 minute'
      else now() + ${unknownSeconds} * interval '1 second' end) as until
    from service_budgets b where b.key_hash = ${hash}`.execute(db)
  return rows[0]?.until ?? new Date()
}

/** The budget of a service that doesn't say what is left: counted here, by the same rule in all processes. */
function countedBudget(db: Database, hash: Buffer, { most, perMinute }: ServicePace): ServiceBudget {
  const left = sql<number>`least(${most}::real,
    b.tokens + ${perMinute}::real * greatest(0, extract(epoch from now() - b.as_of)) / 60)`
  return {
    take: async (cost, reserve) => {
      const { rows } = await sql`
        insert into service_budgets as b (key_hash, tokens, refill_per_minute, as_of)
        values (${hash}, ${most}::real - ${cost}::real, ${perMinute}, now())
        on conflict (key_hash) do update set tokens = ${left} - ${cost}::real,
          refill_per_minute = excluded.refill_per_minute, as_of = greatest(b.as_of, excluded.as_of)
        where ${left} - ${cost}::real >= ${reserve}::real
        returning 1`.execute(db)
      if (rows.length > 0) return { granted: true }
      const { rows: waits } = await sql<{ until: Date }>`
        select now() + (${cost}::real + ${reserve}::real - ${left}) / ${perMinute}::real * interval '1 minute' as until
        from service_budgets b where b.key_hash = ${hash}`.execute(db)
      return { granted: false, until: waits[0]?.until ?? new Date() }
    },
    settle: async () => {},
  }
}
