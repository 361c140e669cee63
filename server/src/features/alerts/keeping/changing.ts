import {
  type Alert,
  type AlertChange,
  type AlertInput,
  type AlertOptions,
  initialOptions,
  mostAlerts,
  mostGroupAlerts,
} from '@dealdeck/contract/alerts'
import type { AuditState } from '@dealdeck/contract/audit'
import type pg from 'pg'
import { withOwnClient } from '../../../platform/accounts/own-changes.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Actor, recordChange } from '../../audit/actions.ts'
import { publishAlerts } from '../../deliveries/actions.ts'
import { destinationGone } from '../../deliveries/rules.ts'
import { openCondition, searchGone } from '../../searches/rules.ts'
import { adoptFound } from './adopting.ts'
import type { AlertDeps } from './alert-deps.ts'
import { type AlertRow, lockAlert, nameOf, readAlert, shownAlert, type Viewer } from './alert-rows.ts'
import { findMatching, queueMatching } from './matching-now.ts'
import { tellReached } from './reached-targets.ts'

export type Member = Viewer & Actor

/**
 * Has what a search finds, or a deal at or below a price, sent to a destination: the deal also where it is that cheap already, and what a
 * search finds now as one list where that is asked for. Throws NOT_FOUND for a destination, search or deal that the member doesn't have,
 * UNPROCESSABLE for what can't be sent, INVALID_INPUT, and CONFLICT for no room or the same twice.
 */
export async function addAlert(deps: AlertDeps, member: Member, input: AlertInput): Promise<Alert> {
  const { client: pool, destination, question } = await readParts(deps, member, input)
  const options = { ...initialOptions, ...input.options }
  refuseMode(options, destination.kind)
  const matching =
    input.send_matching && question !== null
      ? await findMatching(deps, pool, destination.owner_id, question)
      : []
  return withOwnClient(deps.databases, member.id, async (client) => {
    // All of it again, now that it stays as it is.
    await client.query('select from destinations where id = $1 for no key update', [destination.id])
    await readParts(deps, member, input, client)
    await refuseMore(client, destination.owner_id)
    const { rows } = await client.query<{ id: number }>(
      `insert into alerts (destination_id, search_id, deal_id, target_price, mode, again_percent, urgent_off, urgent_below, is_paused)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning id`,
      [
        ...[destination.id, input.search_id ?? null, input.deal_id ?? null, input.target_price ?? null],
        ...[
          options.mode,
          options.again_percent,
          options.urgent_off,
          options.urgent_below,
          input.is_paused ?? false,
        ],
      ],
    )
    const id = rows[0]?.id
    if (id === undefined) throw new AppError('CONFLICT', 'This goes to that destination already.')
    const row = await readAlert(client, member, id)
    await adoptFound(client, row, deps.clock)
    await queueMatching(client, row, matching, deps.clock())
    await tellReached(client, row, deps.clock())
    await record(client, member, 'add', null, row)
    await publishAlerts(client, row.owner_id, row.destination_id)
    return shownAlert(row)
  })
}

/**
 * Changes what is given of an alert, and sends what its search finds now as one list where that is asked for. A target price that is
 * reached already, by its change or while the alert was paused, is told of. Throws NOT_FOUND, and INVALID_INPUT by field.
 */
export async function changeAlert(
  deps: AlertDeps,
  member: Member,
  id: number,
  { options: given, target_price, is_paused, send_matching }: AlertChange,
): Promise<Alert> {
  const pool = deps.databases.customPlanPool
  const asked = send_matching ? await readAlert(pool, member, id) : null
  const matching =
    asked?.may_ask && asked.question !== null
      ? await findMatching(deps, pool, asked.owner_id, asked.question)
      : []
  return withOwnClient(deps.databases, member.id, async (client) => {
    const before = await lockAlert(client, member, id)
    if (target_price !== undefined && before.deal_id === null)
      throw invalid('target_price', 'is for a single deal, not for a search')
    const { mode, again_percent, urgent_off, urgent_below } = before
    const options = { ...{ mode, again_percent, urgent_off, urgent_below }, ...given }
    refuseMode(options, before.destination_kind)
    await client.query(
      `update alerts set mode = $2, again_percent = $3, urgent_off = $4, urgent_below = $5, is_paused = $6, target_price = $7,
         updated_at = date_trunc('milliseconds', now()) where id = $1`,
      [
        ...[id, options.mode, options.again_percent, options.urgent_off, options.urgent_below],
        ...[is_paused ?? before.is_paused, target_price ?? before.target_price],
      ],
    )
    // A price that it hasn't reached yet is told of as a new one would be.
    if (target_price !== undefined && target_price !== before.target_price)
      await client.query(
        `update alert_matches m set is_matching = false, episode_id = null from deals d
         where m.alert_id = $1 and d.id = m.deal_id and d.price > $2`,
        [id, target_price],
      )
    const row = await readAlert(client, member, id)
    await queueMatching(client, row, matching, deps.clock())
    if (send_matching || target_price !== undefined || is_paused === false)
      await tellReached(client, row, deps.clock())
    await record(client, member, 'change', before, row)
    await publishAlerts(client, row.owner_id, row.destination_id)
    return shownAlert(row)
  })
}

/** Removes an alert; what was sent stays in the log. Throws NOT_FOUND. */
export async function removeAlert(
  { databases }: Pick<AlertDeps, 'databases'>,
  member: Member,
  id: number,
): Promise<void> {
  await withOwnClient(databases, member.id, async (client) => {
    const before = await lockAlert(client, member, id)
    await client.query('delete from alerts where id = $1', [id])
    await record(client, member, 'remove', before, null)
    await publishAlerts(client, before.owner_id, before.destination_id)
  })
}

type Parts = {
  client: Pick<pg.ClientBase, 'query'>
  destination: { id: number; owner_id: number | null; kind: string }
  /** Of a search. */
  question: string | null
}

/** What an alert is to be made of, as far as the member may use it. */
async function readParts(
  { databases }: Pick<AlertDeps, 'databases'>,
  { id: userId, isAdministrator }: Viewer,
  input: AlertInput,
  client: Pick<pg.ClientBase, 'query'> = databases.customPlanPool,
): Promise<Parts> {
  const destinations = await client.query<Parts['destination']>(
    'select id, owner_id, kind from destinations where id = $1 and (owner_id = $2 or (owner_id is null and $3))',
    [input.destination_id, userId, isAdministrator],
  )
  const destination = destinations.rows[0]
  if (!destination) throw destinationGone()
  if (input.search_id === undefined) {
    const deals = await client.query('select from deals where id = $1 and is_visible', [input.deal_id])
    if (deals.rowCount === 0) throw new AppError('NOT_FOUND', 'This deal is no longer available.')
    return { client, destination, question: null }
  }
  const searches = await client.query<{ question: string; is_shared: boolean }>(
    `select question, is_shared from saved_searches
     where id = $1 and deleted_at is null and (is_shared or owner_id = $2)`,
    [input.search_id, userId],
  )
  const search = searches.rows[0]
  if (!search) throw searchGone()
  // What a member keeps to themselves doesn't show in a channel of the group, not even an administrator's.
  if (destination.owner_id === null && !search.is_shared)
    throw unprocessable('Share this search first: only shared ones go to the group’s destinations.')
  if (openCondition(search.question) === undefined)
    throw unprocessable('This search asks for hidden deals, of which nothing is ever sent.')
  return { client, destination, question: search.question }
}

const unprocessable = (message: string) =>
  new AppError('UNPROCESSABLE', message, { fields: { search_id: message } })

const invalid = (field: string, message: string) =>
  new AppError('INVALID_INPUT', `${field} ${message}`, { fields: { [field]: message } })

function refuseMode({ mode }: AlertOptions, kind: string): void {
  if (mode !== 'now' && kind !== 'email')
    throw invalid('options.mode', 'must be now: digests come by e-mail only')
}

async function refuseMore(client: pg.ClientBase, ownerId: number | null): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from alerts a join destinations t on t.id = a.destination_id
     where t.owner_id is not distinct from $1`,
    [ownerId],
  )
  const most = ownerId === null ? mostGroupAlerts : mostAlerts
  if ((rows[0]?.count ?? 0) < most) return
  const whose = ownerId === null ? 'The group has' : 'You have'
  throw new AppError('CONFLICT', `${whose} ${most} alerts, and no room for more. Remove one of them first.`)
}

/** Notes a change of the group's alerts; what members do with their own is theirs. */
async function record(
  client: pg.ClientBase,
  { id, username }: Member,
  action: 'add' | 'change' | 'remove',
  before: AlertRow | null,
  after: AlertRow | null,
): Promise<void> {
  const row = after ?? before
  if (!row || row.owner_id !== null) return
  await recordChange(client, {
    ...{ actor: { id, username }, action, subject: { kind: 'alert', id: row.id, name: nameOf(row) } },
    ...{ before: before && auditState(before), after: after && auditState(after) },
  })
}

const auditState = (row: AlertRow): AuditState => ({
  ...{ destination: row.destination, target_price: row.target_price, is_paused: row.is_paused },
  ...{ mode: row.mode, again_percent: row.again_percent },
  ...{ urgent_off: row.urgent_off, urgent_below: row.urgent_below },
})
