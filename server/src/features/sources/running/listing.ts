import type pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'
import { endDealsOf } from '../../deals/writing/ending.ts'
import { isOfOtherShop } from '../../deals/writing/fields.ts'
import type { Staged } from '../../ingest/actions.ts'
import { type Claim, ClaimLostError } from './claims.ts'

/** Polls in a row that leave an item out before its deal ends. */
const missedPolls = 2
/** Items that are looked at, and end, at once. */
const endedAtOnce = 1_000

/** Writes these items of a source, by ASIN, with `columns` from `values`. Throws where it isn't this run's any more. */
async function remember(
  client: pg.ClientBase,
  { source, runId, startedAt }: Claim,
  items: string,
  {
    columns,
    values,
    changes,
    given = [],
  }: { columns: string; values: string; changes: string; given?: unknown[] },
): Promise<void> {
  const { rowCount } = await client.query(
    // Whoever removes the source waits until this is written, and removes it too.
    `with held as (select from sources where id = $1 and running_id = $2 for key share), kept as (
       insert into source_deals (source_id, asin, listed_at${columns})
       select $1::bigint, asin, $3::timestamptz${values} from (${items}) listed, held order by asin
       on conflict (source_id, asin) do update set listed_at = excluded.listed_at, ${changes}
     )
     select from held`,
    [source.id, runId, startedAt, ...given],
  )
  if (rowCount !== 1) throw new ClaimLostError()
}

/** Remembers what a document lists, before any of it is taken out: what waits, or was refused, is listed too. */
export async function rememberListed(
  { parts, refused, otherShops }: Pick<Staged, 'parts' | 'refused' | 'otherShops'>,
  claim: Claim,
): Promise<void> {
  const how = { columns: '', values: '', changes: 'missed = 0' }
  const own = otherShops > 0 ? `where not ${isOfOtherShop('t')}` : ''
  for (const { client, table } of parts) {
    await remember(client, claim, `select distinct asin from ${table} t ${own}`, how)
    if (otherShops > 0) await keepListed({ client, table }, claim)
  }
  const [first] = parts
  if (first && refused.list.length > 0)
    await remember(first.client, claim, 'select unnest($4::text[]) as asin', {
      ...how,
      given: [refused.list],
    })
}

/** An item that is there as one of another shop is not left out by this poll, and not listed by it either. */
async function keepListed(
  { client, table }: Pick<Staged['parts'][number], 'client' | 'table'>,
  { source, runId, startedAt }: Claim,
): Promise<void> {
  await client.query(
    `update source_deals l set listed_at = $3, missed = 0 where source_id = $1 and exists (select from sources where id = $1 and running_id = $2)
       and asin in (select asin from ${table} t where ${isOfOtherShop('t')})`,
    [source.id, runId, startedAt],
  )
}

/** Remembers until when the deals of staged rows may be shown, by the terms of the service that said them. */
export async function rememberFresh(
  { parts }: Pick<Staged, 'parts'>,
  claim: Claim,
  hours: number,
): Promise<void> {
  for (const { client, table } of parts)
    await remember(client, claim, `select distinct asin from ${table}`, {
      ...{ columns: ', hide_at', values: `, $3::timestamptz + $4 * interval '1 hour'` },
      ...{ changes: 'hide_at = excluded.hide_at', given: [hours] },
    })
}

/** Whether the time of a deal is over for which its service lets it be shown. */
export async function hasStaleDeals({ customPlanPool }: Databases): Promise<boolean> {
  const { rowCount } = await customPlanPool.query('select from source_deals where hide_at <= now() limit 1')
  return rowCount === 1
}

/**
 * Ends the deals that were not seen again in the time for which their service lets them be shown, and that nobody else has seen since. They
 * end as of their last sight, so that any later one shows them again, also one that is being stored while they end.
 */
export async function hideStaleDeals(databases: Databases, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rows } = await databases.durablePool.query<Stale>(
      // A sight that says nothing new is stored once an hour. What one run has seen ends together.
      `select l.source_id, l.asin, (d.observed_at <= l.listed_at + interval '1 hour') is true as is_last, floor(extract(epoch from d.observed_at) * 1e6)::bigint as observed
       from source_deals l left join deals d on d.asin = l.asin
       where l.hide_at = (select min(hide_at) from source_deals where hide_at <= now()) limit ${endedAtOnce}`,
    )
    if (rows.length === 0) return
    const last = rows.filter(({ is_last }) => is_last)
    const asins = last.map(({ asin }) => asin)
    const observed = last.reduce((newest, row) => Math.max(newest, row.observed ?? 0), 0)
    if (last.length > 0) await endDealsOf(databases, asins, { observed, importId: null, keepsHistory: false })
    await databases.durablePool.query(
      `delete from source_deals l using unnest($1::bigint[], $2::text[]) as over (source_id, asin)
       where l.source_id = over.source_id and l.asin = over.asin and l.hide_at <= now()`,
      [rows.map(({ source_id }) => source_id), rows.map(({ asin }) => asin)],
    )
  }
}

type Stale = { source_id: number; asin: string; is_last: boolean; observed: number | null }

/** A document that stays as it is is held against what it leaves out so often, in minutes. */
const unchangedEvery = 60

/**
 * Takes one poll into account that was good throughout: what it left out was missed once more, of one without a change what the last one
 * missed. One that goes on for a run that was broken off after this counts no second time. Throws where the source isn't this run's any more.
 */
async function countMissed(
  { durablePool }: Databases,
  { source, runId, startedAt }: Claim,
  isUnchanged: boolean,
): Promise<void> {
  const { rowCount } = await durablePool.query(
    `with poll as (
       select id, coalesce(nullif(baseline, 'null'), '{}') as baseline, (
         not exists (select from source_runs r where r.id = (baseline ->> 'counted_run')::bigint and r.state = 'failed')
         and (not $4 or ((baseline ->> 'counted_at')::timestamptz between now() - interval '${unchangedEvery} minutes' and now()) is not true)
       ) as counts
       from sources where id = $1 and running_id = $2 for no key update
     ), noted as (
       update sources s set baseline = poll.baseline || jsonb_build_object('counted_run', $2::bigint)
         || case when poll.counts then jsonb_build_object('counted_at', now()) else '{}' end
       from poll where s.id = poll.id returning poll.counts
     ), counted as (
       update source_deals l set missed = l.missed + 1 from noted
       where noted.counts and l.source_id = $1 and l.listed_at < $3 and l.missed < ${missedPolls} and (l.missed > 0 or not $4)
     )
     select from noted`,
    [source.id, runId, startedAt, isUnchanged],
  )
  if (rowCount !== 1) throw new ClaimLostError()
}

/** What another source lists counts for so long after its last good poll, or for three of its longest intervals. */
const heardDays = 7
/** Items that so many polls of a source left out, and that no other source lists that lists everything and still answers. */
const leftOut = `select l.asin from source_deals l where l.source_id = $1 and l.missed >= ${missedPolls}
  and not exists (
    select from source_deals o join sources s on s.id = o.source_id
    where o.asin = l.asin and o.source_id <> l.source_id and o.missed < ${missedPolls} and not s.is_paused and (o.hide_at is null or o.hide_at > now())
      and greatest(s.last_success_at, o.listed_at) > now() - greatest(interval '${heardDays} days', 3 * s.interval_to * interval '1 minute')
  )`

/**
 * Ends the deals that a source has left out twice in a row, unless somebody saw them after this poll began. Returns how many ended that
 * were visible. Broken off, the next poll goes on with the rest.
 */
export async function endLeftOut(
  databases: Databases,
  claim: Claim,
  how: { importId: number | null; keepsHistory: boolean; isUnchanged: boolean; signal: AbortSignal },
): Promise<number> {
  const { source, startedAt } = claim
  await countMissed(databases, claim, how.isUnchanged)
  let ended = 0
  let last = ''
  for (let count = endedAtOnce; count === endedAtOnce; ) {
    how.signal.throwIfAborted()
    const { rows } = await databases.durablePool.query<{ asin: string }>(
      `${leftOut} and l.asin > $2 order by l.asin limit ${endedAtOnce}`,
      [source.id, last],
    )
    const asins = rows.map(({ asin }) => asin)
    count = asins.length
    last = asins.at(-1) ?? last
    if (count === 0) break
    ended += await endDealsOf(databases, asins, { ...how, observed: startedAt.getTime() * 1_000 })
    // From here on it is as if this source had never listed them, but where a clock that is ahead made the sight: it ends once that time has come.
    await databases.durablePool.query(
      `delete from source_deals l where source_id = $1 and asin = any($2)
         and not exists (select from deals d where d.asin = l.asin and not d.is_over and d.observed_at > now())`,
      [source.id, asins],
    )
  }
  return ended
}
