import { createHash } from 'node:crypto'
import type pg from 'pg'
import { type Databases, unwaitedHere } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { SendLimit } from '../kinds/destination-kind.ts'

// The rows are locked in the order of their keys, so that two who need the same ones don't wait for each other. Nobody waits for the disk:
// whatever is sent is marked after it, which does.
const taking = prepared(
  'take limits',
  `with ${unwaitedHere}, given as (
    select * from unnest($1::text[], $2::real[], $3::real[], $4::int[]) as given (key, burst, per_second, count)
  ), held as materialized (
    select l.* from delivery_limits l where key = any($1) order by key for update
  ), present as materialized (
    select g.key, g.count, least(g.burst, h.tokens + g.per_second * greatest(0, extract(epoch from clock_timestamp() - h.as_of))) as tokens,
      greatest(0, extract(epoch from h.blocked_until - clock_timestamp())) as blocked
    from given g join held h using (key)
  ), enough as materialized (
    select count(*) = cardinality($1) and bool_and(tokens >= count and coalesce(blocked, 0) = 0) as is_there from present
  ), taken as (
    update delivery_limits l set tokens = p.tokens - p.count, as_of = clock_timestamp()
    from present p, enough e, unwaited where l.key = p.key and e.is_there
  )
  select key, tokens::float8, coalesce(blocked, 0)::float8 as blocked, coalesce(is_there, false) as is_taken from present, enough`,
)

/** A key as it is stored: hosts that people enter may be longer than an index takes. */
const storedKey = (key: string) =>
  key.length > 200 ? createHash('sha256').update(key).digest('base64url') : key

/** What is left of a limit: messages, and for how many seconds a service wants none. */
type Left = { key: string; tokens: number; blocked: number; is_taken: boolean }

/**
 * Takes each message's part of its limits, whichever process takes the others; of all of them or of none. Returns for each 0, or in how
 * many milliseconds it may be asked again. Where there isn't enough for all, those have it that come first.
 */
export async function takeLimits(
  { durablePool }: Databases,
  asked: readonly (readonly SendLimit[])[],
): Promise<number[]> {
  const messages = asked.map((limits) => limits.map((one) => ({ ...one, key: storedKey(one.key) })))
  const left = new Map((await takeAll(durablePool, messages.flat())).map((one) => [one.key, one]))
  if ([...left.values()].every(({ is_taken }) => is_taken)) return messages.map(() => 0)
  const isFitting = messages.map((limits) => takeFrom(left, limits))
  const fitting = messages.filter((_, at) => isFitting[at])
  // Somebody else may have taken it in between.
  const rest = await takeAll(durablePool, fitting.flat())
  const isTaken = rest.length > 0 && rest.every(({ is_taken }) => is_taken)
  if (!isTaken) for (const one of rest) left.set(one.key, one)
  return messages.map((limits, at) => {
    if (limits.length === 0 || (isFitting[at] && isTaken)) return 0
    return Math.max(1, ...limits.map((limit) => waitOf(limit, left)))
  })
}

/** Takes a message's part of what is left, where there is one of each of its limits. */
function takeFrom(left: ReadonlyMap<string, Left>, limits: readonly SendLimit[]): boolean {
  const all = limits.flatMap(({ key }) => left.get(key) ?? [])
  if (!all.every(({ tokens, blocked }) => tokens >= 1 && blocked === 0)) return false
  for (const one of all) one.tokens -= 1
  return true
}

function waitOf({ key, perSecond }: SendLimit, left: ReadonlyMap<string, Left>): number {
  const { tokens = 0, blocked = 0 } = left.get(key) ?? {}
  return Math.ceil(Math.max((1 - tokens) / perSecond, blocked, 0) * 1000)
}

/** Takes what these limits say, a key as often as it is there, or nothing; returns what each key had left before. */
async function takeAll(durablePool: pg.Pool, limits: readonly SendLimit[]): Promise<Left[]> {
  if (limits.length === 0) return []
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
    const { rows } = await durablePool.query<Left>({ ...taking, values })
    if (rows.length === byKey.length || isNew) return rows
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
    [blocked.map(({ key }) => storedKey(key)), blocked.map(({ blockedMs }) => blockedMs)],
  )
}
