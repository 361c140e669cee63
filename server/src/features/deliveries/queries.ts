import {
  type Delivery,
  type DeliveryPage,
  type DeliveryState,
  type Destination,
  type DestinationDescription,
  deliveriesKeptDays,
  mostDestinations,
  mostGroupDestinations,
} from '@dealdeck/contract/deliveries'
import { type Selectable, sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { secretPlaces } from '../../platform/secret-box.ts'
import type { DestinationDeps } from './destinations/destination-deps.ts'
import type { AnyDestinationKind, KindDeps } from './kinds/destination-kind.ts'
import { deliveryGone, destinationGone, shownState, stateText } from './rules.ts'
import { nextAt } from './sending/claims.ts'

export type DestinationRow = Selectable<Tables['destinations']>

/** Whose destinations somebody may see and change: their own and, as an administrator, the group's. */
export type Viewer = { id: number; isAdministrator: boolean }

type Shown = Pick<DestinationDeps, 'kinds' | 'clock' | 'secretBox' | 'log'>

/** The destinations that somebody may see, by name; never a secret. */
export async function listDestinations(
  db: Database,
  deps: Shown & KindDeps,
  viewer: Viewer,
): Promise<Destination[]> {
  const rows = await ownDestinations(db, viewer)
    .orderBy('name')
    .orderBy('id')
    .limit(mostDestinations + mostGroupDestinations)
    .execute()
  return Promise.all(rows.map((row) => shownDestination(deps, row)))
}

/** One of them. Throws NOT_FOUND. */
export async function readDestination(
  db: Database,
  deps: Shown & KindDeps,
  viewer: Viewer,
  id: number,
): Promise<Destination> {
  return shownDestination(deps, await readOwnRow(db, viewer, id))
}

/** The row of one that somebody may see. Throws NOT_FOUND. */
export async function readOwnRow(db: Database, viewer: Viewer, id: number): Promise<DestinationRow> {
  const row = await ownDestinations(db, viewer).where('id', '=', id).executeTakeFirst()
  if (!row) throw destinationGone()
  return row
}

/** The row of one that somebody may change, locked until the transaction's end. Throws NOT_FOUND. */
export async function lockDestination(
  transaction: Database,
  viewer: Viewer,
  id: number,
): Promise<DestinationRow> {
  const row = await ownDestinations(transaction, viewer)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw destinationGone()
  return row
}

const ownDestinations = (db: Database, { id, isAdministrator }: Viewer) =>
  db
    .selectFrom('destinations')
    .selectAll()
    .where(({ eb, or }) =>
      or([eb('owner_id', '=', id), ...(isAdministrator ? [eb('owner_id', 'is', null)] : [])]),
    )

/** The kinds as their forms are made of them. */
export function describeKinds({ kinds, ...deps }: DestinationDeps): DestinationDescription[] {
  return kinds.map((kind) => ({
    ...{ ...kind.description, kind: kind.kind, can_edit: kind.canEdit },
    unavailable: kind.unavailable(deps),
  }))
}

/** A destination as its owner sees it. */
async function shownDestination(deps: Shown & KindDeps, row: DestinationRow): Promise<Destination> {
  // One of a kind that a later version had is shown all the same.
  const kind = deps.kinds.find((one) => one.kind === row.kind)
  const link = await linkOf(deps, kind, row)
  const state = shownState(row)
  const { id, name, settings, is_paused, affiliate_tag, disclosure, last_sent_at } = row
  return {
    ...{
      id,
      kind: row.kind,
      name,
      settings,
      secrets: row.secret_names,
      is_paused,
      affiliate_tag,
      disclosure,
    },
    is_group: row.owner_id === null,
    state,
    state_text: stateText({
      ...{ state, text: row.state_text, confirmedBy: kind?.description.confirmed_by ?? 'nothing' },
      hasCode: hasCode(deps, row),
      hasSent: last_sent_at !== null,
    }),
    is_code_sent: isCodeSent(deps, kind, row),
    link,
    last_sent_at: last_sent_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

const hasCode = ({ clock }: Pick<Shown, 'clock'>, { code_hash, code_expires_at }: DestinationRow): boolean =>
  code_hash !== null && code_expires_at !== null && code_expires_at > clock()

/** What went wrong when it was sent is written down as its state. */
const isCodeSent = (deps: Shown, kind: AnyDestinationKind | undefined, row: DestinationRow): boolean =>
  row.state === 'unconfirmed' &&
  kind?.description.confirmed_by === 'code' &&
  row.state_text === '' &&
  hasCode(deps, row)

/** So long it may take to find out where a code is sent, in milliseconds. */
const linkMs = 5_000

/** The code that links it, and where it is sent; null where there is none to be shown. */
async function linkOf(
  deps: Shown & KindDeps,
  kind: AnyDestinationKind | undefined,
  row: DestinationRow,
): Promise<Destination['link']> {
  const { state, code: sealed, code_expires_at } = row
  if (state !== 'unconfirmed' || sealed === null || code_expires_at === null || !hasCode(deps, row))
    return null
  try {
    const code = await deps.secretBox.open(sealed, secretPlaces.destinationCode(row.id))
    return {
      code,
      url: (await kind?.linkUrl?.(code, deps, { signal: AbortSignal.timeout(linkMs) })) ?? null,
      expires_at: code_expires_at.toISOString(),
    }
  } catch (error) {
    // Its key is another one meanwhile, so it is as good as over.
    deps.log.warn({ destination_id: row.id, reason: String(error) }, 'a code can not be shown')
    return null
  }
}

/** What is asked of the log. */
export type LogQuery = {
  destination?: number | undefined
  search?: number | undefined
  deal?: number | undefined
  state?: DeliveryState | undefined
  /** Of all members and the group; for administrators. */
  all: boolean
  limit: number
  cursor?: number | undefined
}

/** A page of the log as far as somebody may see it, the newest first. */
export async function listDeliveries(db: Database, viewer: Viewer, query: LogQuery): Promise<DeliveryPage> {
  let rows = logRows(db, viewer, query.all)
  if (query.destination !== undefined) rows = rows.where('t.id', '=', query.destination)
  if (query.state !== undefined) rows = rows.where('d.state', '=', query.state)
  if (query.cursor !== undefined) rows = rows.where('d.id', '<', query.cursor)
  const { search, deal } = query
  if (deal !== undefined)
    rows = rows.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('delivery_deals as told')
          .select('told.deal_id')
          .whereRef('told.delivery_id', '=', 'd.id')
          .where('told.deal_id', '=', deal),
      ),
    )
  if (search !== undefined)
    rows = rows.where(
      sql<boolean>`exists (select from delivery_deals told join alerts a on a.id = any(told.alert_ids)
        where told.delivery_id = d.id and a.search_id = ${search})`,
    )
  const found = await rows
    .orderBy('d.id', 'desc')
    .limit(query.limit + 1)
    .execute()
  const items = found.slice(0, query.limit).map(shownDelivery)
  const last = items.at(-1)
  return { items, next_cursor: last && found.length > query.limit ? String(last.id) : null }
}

/** One message of the log. Throws NOT_FOUND. */
export async function readDelivery(db: Database, viewer: Viewer, id: number): Promise<Delivery> {
  const row = await logRows(db, viewer, viewer.isAdministrator).where('d.id', '=', id).executeTakeFirst()
  if (!row) throw deliveryGone()
  return shownDelivery(row)
}

/** Of a row of `deals`: that it may still be told of. Whether its time is over is seen a little later, by a job. */
export const isStillShown = sql<boolean>`deals.is_visible and coalesce(deals.ends_at > now(), true)`

/** Deals that a message of the log names: those that ended too, and none that people or words hide. */
const namedDeals = 10

const logRows = (db: Database, { id, isAdministrator }: Viewer, ofAll: boolean) =>
  db
    .selectFrom('deliveries as d')
    .innerJoin('destinations as t', 't.id', 'd.destination_id')
    .leftJoin('users as u', 'u.id', 't.owner_id')
    .select(['d.id', 'd.kind', 'd.state', 'd.reason', 'd.status', 'd.answer', 'd.attempts', 'd.is_urgent'])
    .select(['d.created_at', 'd.sent_at', 'd.updated_at', 'd.content'])
    // Nothing is sent to a destination that fails, or whose service wants a pause, before that is over.
    .select(sql.raw<Date | null>(nextAt).as('next_at'))
    .select(sql<boolean>`coalesce(t.resume_at > d.next_at and t.resume_at > now(), false)`.as('is_behind'))
    .select(['t.id as destination_id', 't.kind as destination_kind', 't.name', 't.owner_id', 'u.username'])
    .select(
      sql<number>`(select count(*)::int from delivery_deals told where told.delivery_id = d.id)`.as('count'),
    )
    .select(
      sql<
        Delivery['deals'] | null
      >`(select json_agg(json_build_object('id', id, 'asin', asin, 'title', title))
        from (select deals.id, asin, title from delivery_deals told join deals on deals.id = told.deal_id
          where told.delivery_id = d.id and hidden_at is null and not is_blacklisted order by deals.id limit ${namedDeals}) as named)`.as(
        'deals',
      ),
    )
    .select(
      sql<boolean>`d.kind <> 'notice' and t.state not in ('unconfirmed', 'gone') and not t.is_paused and exists (select from delivery_deals told
        join deals on deals.id = told.deal_id where told.delivery_id = d.id and ${isStillShown})`.as(
        'can_replay',
      ),
    )
    // What a member calls a search of their own is not for administrators.
    .select(
      sql<string[]>`array(select distinct coalesce(s.name, 'Target price')
        from delivery_deals told join alerts a on a.id = any(told.alert_ids) left join saved_searches s on s.id = a.search_id
        where told.delivery_id = d.id and (s.is_shared or s.owner_id = ${id} or s.id is null) and s.deleted_at is null
        order by 1)`.as('searches'),
    )
    .where('d.created_at', '>', sql<Date>`now() - ${deliveriesKeptDays} * interval '1 day'`)
    .$if(!(ofAll && isAdministrator), (query) =>
      query.where(({ eb, or }) =>
        or([eb('t.owner_id', '=', id), ...(isAdministrator ? [eb('t.owner_id', 'is', null)] : [])]),
      ),
    )

type LogRow = Awaited<ReturnType<ReturnType<typeof logRows>['executeTakeFirstOrThrow']>>

function shownDelivery(row: LogRow): Delivery {
  const { id, kind, state, reason, status, answer, attempts, is_urgent, can_replay, searches } = row
  return {
    ...{ id, kind, state, status, answer, attempts, is_urgent, can_replay, searches },
    reason: reason || silentReason(row),
    destination: {
      ...{ id: row.destination_id, kind: row.destination_kind, name: row.name },
      ...{ is_group: row.owner_id === null, owner: row.username },
    },
    deals: row.deals ?? [],
    deal_count: row.count,
    price: priceOf(row.content),
    next_at: row.next_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  }
}

/** Why a message is in its state where sending it left no word. */
function silentReason({ is_behind, state, content }: LogRow): string {
  if (is_behind) return waitsBehind
  return state === 'edited' && hasEnded(content) ? saidEnded : ''
}

const waitsBehind = 'It waits until its destination can be sent to again.'
const saidEnded = 'The deal ended, and the message says so.'
const saidState = z.object({ deals: z.tuple([z.object({ state: z.literal('ended') })]) })

/** Whether a message about one deal says that it ended. */
const hasEnded = (content: unknown): boolean => saidState.safeParse(content).success

const saidPrice = z.object({ price: z.number() })

/** The amount that a message about one deal says. */
function priceOf(content: unknown): number | null {
  const { success, data } = saidPrice.safeParse(content)
  return success ? data.price : null
}
