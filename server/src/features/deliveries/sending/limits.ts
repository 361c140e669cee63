import type pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { SendLimit } from '../kinds/destination-kind.ts'

// The rows are locked in the order of their keys, so that two who need the same ones don't wait for each other.
const taking = prepared(
  'take limits',
  `with given as (
    select * from unnest($1::text[], $2::real[], $3::real[], $4::int[]) as given (key, burst, per_second, count)
  ), held as materialized (
    select l.* from delivery_limits l where key = any($1) order by key for update
  ), present as (
    select g.key, g.per_second, g.count, h.blocked_until,
      least(g.burst, h.tokens + g.per_second * greatest(0, extract(epoch from clock_timestamp() - h.as_of))) as tokens
    from given g join held h using (key)
  ), wait as materialized (
    select coalesce(max(greatest(0, (count - tokens) / per_second, extract(epoch from blocked_until - clock_timestamp()))), 0) as seconds
    from present
  ), taken as (
    update delivery_limits l set tokens = p.tokens - p.count, as_of = clock_timestamp()
    from present p, wait w where l.key = p.key and w.seconds = 0 and (select count(*) from held) = cardinality($1)
  )
  select seconds, (select count(*) from held)::int as held from wait`,
)

/**
 * Takes each message's part of its limits, whichever process takes the others; of all of them or of none. Returns for each 0, or in how
 * many milliseconds it may be asked again.
 */
export async function takeLimits(
  { durablePool }: Databases,
  messages: readonly (readonly SendLimit[])[],
): Promise<number[]> {
  const waitMs = await takeAll(durablePool, messages.flat())
  if (waitMs === 0 || messages.length === 1) return messages.map(() => waitMs)
  // Not enough for all of them: those first that asked first.
  const waits: number[] = []
  for (const limits of messages) waits.push(await takeAll(durablePool, limits))
  return waits
}

async function takeAll(durablePool: pg.Pool, limits: readonly SendLimit[]): Promise<number> {
  if (limits.length === 0) return 0
  const byKey = [...Map.groupBy(limits, ({ key }) => key).values()].flatMap((same) =>
    same.slice(0, 1).map((limit) => ({ ...limit, count: same.length })),
  )
  byKey.sort((one, other) => (one.key < other.key ? -1 : 1))
  const values = [
    byKey.map(({ key }) => key),
    byKey.map(({ burst }) => burst),
    byKey.map(({ perSecond }) => perSecond),
    byKey.map(({ count }) => count),
  ]
  for (let isNew = false; ; isNew = true) {
    const { rows } = await durablePool.query<{ seconds: number; held: number }>({ ...taking, values })
    const { seconds = 0, held = 0 } = rows[0] ?? {}
    if (held === byKey.length || isNew) return Math.ceil(seconds * 1000)
    await durablePool.query(
      `insert into delivery_limits (key, tokens, as_of) select key, burst, now()
       from unnest($1::text[], $2::real[]) as given (key, burst) order by key on conflict do nothing`,
      values.slice(0, 2),
    )
  }
}

/** Lets nothing be sent under these keys for a while, whoever sends, by what a service has said. */
export async function blockKeys(
  { durablePool }: Databases,
  blocked: readonly { key: string; blockedMs: number }[],
): Promise<void> {
  if (blocked.length === 0) return
  await durablePool.query(
    `insert into delivery_limits as l (key, tokens, as_of, blocked_until)
     select key, 0, now(), now() + max(ms) * interval '1 millisecond'
     from unnest($1::text[], $2::float8[]) as given (key, ms) group by key order by key
     on conflict (key) do update set blocked_until = greatest(l.blocked_until, excluded.blocked_until)`,
    [blocked.map(({ key }) => key), blocked.map(({ blockedMs }) => blockedMs)],
  )
}
