import { setTimeout as sleep } from 'node:timers/promises'
import type { PricePoint } from '@dealdeck/contract/prices'
import type pg from 'pg'
import type { CancelSignal } from '../../platform/cancellation.ts'
import type { Databases } from '../../platform/database/database.ts'
import type { AppDeps } from '../../platform/deps.ts'
import { TimeSlice } from '../../platform/time-slice.ts'
import { type Actor, recordChange } from '../audit/actions.ts'
import { withDealWrites } from '../deals/actions.ts'
import type { ReadChanges } from '../deals/following/changes.ts'
import { flushPendingWords } from '../deals/writing/indexing.ts'
import { markPoint, storeVerdicts } from '../deals/writing/verdicts.ts'
import {
  type DueDeal,
  findPrice,
  noSuchPrice,
  readDue,
  readDueOne,
  readHistoriesOf,
  readPriceNews,
} from './queries.ts'
import { RefreshPauses } from './refresh-pauses.ts'
import { judgeHistory, type PriceNews, toStored } from './rules.ts'

export type PriceDeps = Pick<AppDeps, 'databases' | 'clock'> & {
  settings: Pick<AppDeps['settings'], 'MARKETPLACE'>
}

/** Verdicts read, judged and stored at once: some 5 ms for whoever waits for the writers' lock, or for a core of a busy machine. */
const storedAtOnce = 20
/** Deals written before the index of words is tidied: far fewer than fill its pending list. */
const changedBeforeFlush = 1_000
/**
 * A verdict that is only confirmed is found out anew no sooner than this after the last time: soon where too little was known to
 * judge, which a confirmation can change.
 */
const confirmedPause = "case v.kind when 'new' then interval '10 minutes' else interval '6 hours' end"
/** Deals marked in one transaction where all are. */
const markedAtOnce = 5_000

const dueAgain = 'on conflict (deal_id) do update set due_at'

/**
 * Makes the verdicts due of what a follower is told, with its connection: at once where a deal changed, and where it was only
 * seen again, soon. Each time `due_at` becomes another, so that a verdict under way, of older points, is not stored. Returns
 * whether there was any.
 */
export async function markChanged(
  { revisions, hasMissed }: ReadChanges,
  client: pg.ClientBase,
): Promise<boolean> {
  if (hasMissed) await client.query('update price_state set next_deal = 0')
  const changed = revisions.flatMap(({ import_id, changes }) =>
    changes
      .filter(({ before, after }) => after !== null && !(import_id === null && isSame(before, after)))
      .map(({ deal_id }) => deal_id),
  )
  const confirmed = revisions.flatMap((revision) => revision.confirmed)
  if (changed.length > 0)
    await client.query(
      `insert into price_verdicts (deal_id, due_at) select id, clock_timestamp() from unnest($1::bigint[]) as id
       order by id ${dueAgain} = excluded.due_at`,
      [[...new Set(changed)]],
    )
  if (confirmed.length > 0)
    await client.query(
      `insert into price_verdicts as v (deal_id, due_at) select id, clock_timestamp() from unnest($1::bigint[]) as id
       order by id ${dueAgain} = case when v.due_at <= excluded.due_at then excluded.due_at
         else greatest(excluded.due_at, v.computed_at + ${confirmedPause}) end
       where v.due_at <= excluded.due_at or v.due_at > greatest(excluded.due_at, v.computed_at + ${confirmedPause})`,
      [[...new Set(confirmed)]],
    )
  return changed.length + confirmed.length > 0
}

/** Verdicts themselves are recorded too, and change none of what is recorded. */
const isSame = (before: object | null, after: object) => JSON.stringify(before) === JSON.stringify(after)

/** Makes the verdicts of all deals due, as after an update or a restore, in pieces; begun anew it goes on where it was. */
export async function markAll({ databases }: PriceDeps, signal: AbortSignal): Promise<void> {
  for (let isLeft = true; isLeft && !signal.aborted; ) {
    const { rows } = await databases.durablePool.query<{ isLeft: boolean }>(
      `with state as materialized (
         select next_deal from price_state
       ), piece as materialized (
         select id from deals where id > (select next_deal from state) order by id limit ${markedAtOnce}
       ), marked as (
         insert into price_verdicts (deal_id, due_at) select id, clock_timestamp() from piece
         ${dueAgain} = excluded.due_at
       )
       -- Should somebody begin it anew meanwhile, this piece doesn't count.
       update price_state p set next_deal = (select max(id) from piece) from state where p.next_deal = state.next_deal
       returning p.next_deal is not null as "isLeft"`,
    )
    isLeft = rows[0]?.isLeft ?? false
  }
}

/**
 * Finds out the verdicts that are due, in pieces with pauses, until none is or the signal is aborted. Points are read and judged before
 * the writers' lock is taken; what became due again meanwhile is left for the next piece. Returns how many were stored.
 */
export async function refreshVerdicts(
  deps: PriceDeps,
  signal: AbortSignal,
  pauses: Pick<RefreshPauses, 'after'> = new RefreshPauses(),
): Promise<{ judged: number; changed: number }> {
  const total = { judged: 0, changed: 0 }
  // What an import has left there comes first.
  let nextFlush = 0
  while (!signal.aborted) {
    const begun = performance.now()
    const due = await readDue(deps.databases.customPlanPool, storedAtOnce)
    if (due.length === 0) break
    if (due.length === storedAtOnce && total.changed >= nextFlush) {
      await flushPendingWords(deps.databases)
      nextFlush = total.changed + changedBeforeFlush
    }
    const { judged, changed } = await judgeAndStore(deps, due)
    total.judged += judged
    total.changed += changed
    if (due.length < storedAtOnce) continue
    const now = performance.now()
    const piece = { tookMs: now - begun, changed, dueAt: due.map(({ due_at }) => due_at) }
    await sleep(pauses.after(piece, now), undefined, { signal }).catch(() => undefined)
  }
  return total
}

/** What is new of the prices of some deals at `now`, in milliseconds, by their ids. */
export function newsOfPrices(
  { customPlanPool }: Databases,
  ids: readonly number[],
  now: number,
  signal: CancelSignal,
): Promise<Map<number, PriceNews>> {
  return readPriceNews(customPlanPool, ids, now, signal)
}

/** A deal's price in words, and its prices of 90 days as an SVG path; null and '' where too little is known. */
export type PriceWords = { text: string | null; sparkline: string }

/**
 * What the prices of some deals say at this time, in words, by their ids: of their points as they are, as what is stored follows a
 * moment later.
 */
export async function putPricesInWords(
  { databases, clock, settings }: PriceDeps,
  ids: readonly number[],
): Promise<Map<number, PriceWords>> {
  const histories = await readHistoriesOf(databases.customPlanPool, ids)
  const now = clock().getTime()
  const words = new Map<number, PriceWords>()
  const slice = new TimeSlice()
  for (const [id, history] of histories) {
    await slice.pause()
    const { verdict, dealVerdict } = judgeHistory(history, now, settings.MARKETPLACE)
    const text = verdict.kind === 'new' ? null : verdict.text
    words.set(id, { text, sparkline: dealVerdict?.sparkline ?? '' })
  }
  return words
}

async function judgeAndStore(deps: PriceDeps, due: readonly DueDeal[]) {
  const now = deps.clock().getTime()
  const verdicts: ReturnType<typeof toStored>[] = []
  const slice = new TimeSlice()
  for (const { deal_id, was_due, history } of due) {
    await slice.pause()
    if (history)
      verdicts.push(toStored(deal_id, was_due, judgeHistory(history, now, deps.settings.MARKETPLACE)))
  }
  const gone = due.filter(({ history }) => history === null).map(({ deal_id }) => deal_id)
  return withDealWrites(deps.databases, async (writes) => {
    // Nobody waits for the disk: what a crash takes back is due again.
    await writes.client.query('set local synchronous_commit = off')
    // Deleted while it was marked.
    if (gone.length > 0)
      await writes.client.query(
        'delete from price_verdicts v where deal_id = any($1) and not exists (select from deals where id = v.deal_id)',
        [gone],
      )
    return storeVerdicts(writes, verdicts)
  })
}

/**
 * Says that an observed price is wrong, or takes it back, with the verdict that follows in the same transaction. Returns the point.
 * Throws NOT_FOUND where there is no such point.
 */
export async function markPrice(
  deps: PriceDeps,
  mark: { id: number; seen_at: string; is_wrong: boolean },
  actor: Actor,
): Promise<PricePoint> {
  const now = deps.clock()
  const marketplace = deps.settings.MARKETPLACE
  await withDealWrites(deps.databases, async (writes) => {
    const was = await markPoint(writes, mark)
    if (!was) throw noSuchPrice()
    // Said before: nothing changes, so nobody did anything.
    if (was.was_wrong === mark.is_wrong) return
    await writes.client.query(
      `insert into price_verdicts (deal_id, due_at) values ($1, clock_timestamp()) ${dueAgain} = excluded.due_at`,
      [mark.id],
    )
    const due = await readDueOne(writes.client, mark.id)
    if (due?.history) {
      const judgement = judgeHistory(due.history, now.getTime(), marketplace)
      await storeVerdicts(writes, [toStored(due.deal_id, due.was_due, judgement)])
    }
    const state = (is_wrong: boolean) => ({ price: was.price, seen_at: mark.seen_at, is_wrong })
    const subject = { kind: 'price' as const, id: mark.id, name: was.asin }
    await recordChange(writes.client, {
      ...{ actor, action: 'change', subject },
      ...{ before: state(was.was_wrong), after: state(mark.is_wrong) },
    })
  })
  const asked = { includeHidden: true, now, marketplace }
  return findPrice(deps.databases.customPlanPool, mark.id, mark.seen_at, asked)
}
