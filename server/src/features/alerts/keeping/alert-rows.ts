import { type Alert, mostAlerts, mostGroupAlerts } from '@dealdeck/contract/alerts'
import type pg from 'pg'
import { AppError } from '../../../platform/errors.ts'
import { openCondition } from '../../searches/rules.ts'

/** Whose alerts somebody may see and change: their own and, as an administrator, the group's. */
export type Viewer = { id: number; isAdministrator: boolean }

/** The same of one that isn't there and of somebody else's, so that nobody learns which there are. */
export const alertGone = () => new AppError('NOT_FOUND', 'This alert no longer exists.')

/** An alert with what it is about, as the database has them. */
export type AlertRow = {
  id: number
  destination_id: number
  owner_id: number | null
  destination: string
  destination_kind: string
  search_id: number | null
  search: string | null
  question: string | null
  /** Whether the search is still the owner's, or shared. */
  may_ask: boolean
  deal_id: number | null
  /** Of a visible deal. */
  title: string | null
  target_price: number | null
  is_paused: boolean
  last_matched_at: Date | null
  created_at: Date
  updated_at: Date
} & Alert['options']

// While a removed search can be brought back, its alerts are out of sight.
const alertRows = `
  select a.id, a.destination_id, t.owner_id, t.name as destination, t.kind as destination_kind, a.search_id, s.name as search,
    s.question, (s.id is null or s.is_shared or s.owner_id = t.owner_id) is true as may_ask, a.deal_id, d.title, a.target_price,
    a.mode, a.again_percent, a.urgent_off, a.urgent_below, a.is_paused, a.last_matched_at, a.created_at, a.updated_at
  from alerts a join destinations t on t.id = a.destination_id
  left join saved_searches s on s.id = a.search_id
  left join deals d on d.id = a.deal_id and d.is_visible
  where (t.owner_id = $1 or (t.owner_id is null and $2)) and s.deleted_at is null`

type Client = Pick<pg.ClientBase, 'query'>

/** The alerts that somebody may see, of a destination beside each other. */
export async function listAlerts(client: Client, { id, isAdministrator }: Viewer): Promise<Alert[]> {
  const { rows } = await client.query<AlertRow>(`${alertRows} order by a.destination_id, a.id limit $3`, [
    ...[id, isAdministrator, mostAlerts + mostGroupAlerts],
  ])
  return rows.map(shownAlert)
}

/** One of them. Throws NOT_FOUND. */
export async function readAlert(client: Client, viewer: Viewer, id: number): Promise<AlertRow> {
  return found(await client.query<AlertRow>(`${alertRows} and a.id = $3`, valuesOf(viewer, id)))
}

/** The same, locked until the transaction's end. */
export async function lockAlert(client: Client, viewer: Viewer, id: number): Promise<AlertRow> {
  const text = `${alertRows} and a.id = $3 for no key update of a`
  return found(await client.query<AlertRow>(text, valuesOf(viewer, id)))
}

const valuesOf = ({ id: userId, isAdministrator }: Viewer, id: number) => [userId, isAdministrator, id]

function found({ rows: [row] }: { rows: AlertRow[] }): AlertRow {
  if (!row) throw alertGone()
  return row
}

/** The alerts of a search, or the one alert, whose destinations are somebody's own or, for administrators, the group's. */
export async function alertsAbout(
  client: Client,
  { id, isAdministrator }: Viewer,
  about: { search: number } | { alert: number },
): Promise<AlertRow[]> {
  const [column, given] = 'search' in about ? ['a.search_id', about.search] : ['a.id', about.alert]
  const { rows } = await client.query<AlertRow>(`${alertRows} and ${column} = $3 order by a.id limit 200`, [
    ...[id, isAdministrator, given],
  ])
  return rows
}

/** The target prices of a member's own. */
export async function listTargets(
  client: Client,
  { id }: Pick<Viewer, 'id'>,
): Promise<{ alert_id: number; deal_id: number; target_price: number }[]> {
  const { rows } = await client.query<{ alert_id: number; deal_id: number; target_price: number }>(
    `select a.id as alert_id, a.deal_id, a.target_price from alerts a join destinations t on t.id = a.destination_id
     where t.owner_id = $1 and a.deal_id is not null order by a.deal_id, a.id limit $2`,
    [id, mostAlerts],
  )
  return rows
}

/** An alert as its owner sees it. */
export function shownAlert(row: AlertRow): Alert {
  const { id, search_id, deal_id, target_price, destination_id, is_paused, may_ask, question } = row
  const { mode, again_percent, urgent_off, urgent_below } = row
  return {
    ...{ id, search_id, deal_id, target_price, destination_id, is_paused },
    name: nameOf(row),
    q: may_ask ? question : null,
    is_group: row.owner_id === null,
    stopped: stoppedText(row),
    options: { mode, again_percent, urgent_off, urgent_below },
    last_matched_at: row.last_matched_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** What an alert is called; of a search that is another's again, and of a hidden deal, nothing is said. */
export function nameOf({ search_id, search, may_ask, title }: AlertRow): string {
  if (search_id === null) return title ?? 'A deal that is not shown now'
  return may_ask && search !== null ? search : 'A search that is not shared any more'
}

function stoppedText({ search_id, may_ask, question }: AlertRow): string | null {
  if (search_id === null) return null
  if (!may_ask) return 'Nothing comes of it: its search is not shared any more.'
  if (question !== null && openCondition(question) === undefined) return `Nothing comes of it: ${hiddenText}`
  return null
}

/** Why nothing is sent of what a question finds that asks for hidden deals. */
const hiddenText = 'its search asks for hidden deals, of which nothing is ever sent.'
