import {
  type Destination,
  type DestinationChange,
  type DestinationInput,
  mostDestinations,
  mostGroupDestinations,
} from '@dealdeck/contract/deliveries'
import { sql } from 'kysely'
import { withOwnChanges } from '../../../platform/accounts/own-changes.ts'
import type { Database } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Actor, recordChange } from '../../audit/actions.ts'
import type { AnyDestinationKind } from '../kinds/destination-kind.ts'
import { publishDeliveries } from '../live.ts'
import { type DestinationRow, lockDestination, readDestination, type Viewer } from '../queries.ts'
import {
  auditState,
  destinationChanged,
  onlyAdministrators,
  samePlace,
  tooManyDestinations,
} from '../rules.ts'
import { catchUp } from '../sending/catching-up.ts'
import { issueCode, sendIssued } from './confirming.ts'
import type { DestinationDeps } from './destination-deps.ts'
import { takePaced } from './pacing.ts'
import {
  bindDestination,
  kindOf,
  mergedSecrets,
  mergedSettings,
  openSecrets,
  refuseElsewhere,
  refusePrivate,
  sealSecrets,
  secretFields,
} from './secrets-and-settings.ts'

export type Member = Viewer & Actor
type Secrets = Record<string, string>

// Two changes within one millisecond still differ, so that the second is noticed.
const changedNow = sql<Date>`greatest(date_trunc('milliseconds', now()), updated_at + interval '1 millisecond')`

/**
 * Adds a destination, and sends the code that confirms it where its kind does. `signing_secret` is shown this once. Throws INVALID_INPUT by
 * field, UNPROCESSABLE for a kind that can't be used here, FORBIDDEN, TOO_MANY_REQUESTS, and CONFLICT for no room or the same place twice.
 */
export async function addDestination(
  deps: DestinationDeps,
  member: Member,
  input: DestinationInput,
): Promise<Destination & { signing_secret: string | null }> {
  const { name, is_group, affiliate_tag, disclosure } = input
  if (is_group && !member.isAdministrator) throw onlyAdministrators()
  const kind = kindOf(deps.kinds, input.kind)
  const unavailable = kind.unavailable(deps)
  if (unavailable !== null)
    throw new AppError('UNPROCESSABLE', unavailable, { fields: { kind: unavailable } })
  const entered = mergedSecrets(kind, {}, input.secrets)
  const made = kind.make?.()
  const secrets = { ...entered, ...made?.secrets }
  const { settings } = bindDestination(kind, mergedSettings(kind, {}, input.settings), secrets)
  refusePrivate(kind, settings, { allow: deps.settings.FETCH_ALLOW, isGroup: is_group })
  const confirmedBy = kind.description.confirmed_by
  const { row, code } = await withOwnChanges(deps.databases, member.id, async (transaction) => {
    await refuseMore(transaction, member, is_group)
    if (!is_group) await takePaced(transaction, 'destination', member.id)
    const owner_id = is_group ? null : member.id
    if (confirmedBy !== 'link') await refuseCopy(transaction, deps, { owner_id }, kind, { settings, entered })
    const added = await transaction
      .insertInto('destinations')
      .values({
        ...{ owner_id, kind: kind.kind, name, affiliate_tag, disclosure },
        settings: JSON.stringify(settings),
        secret_names: Object.keys(secrets),
        state: confirmedBy === 'nothing' ? 'ok' : 'unconfirmed',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    // They are sealed for this very destination.
    const row = await transaction
      .updateTable('destinations')
      .set({ secrets: await sealSecrets(deps, added.id, secrets) })
      .where('id', '=', added.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const code = confirmedBy === 'nothing' ? null : await issueCode(transaction, deps, member, row, kind)
    await record(transaction, member, 'add', null, row)
    await publishDeliveries(transaction, {
      ownerId: owner_id,
      changed: 'destinations',
      destinationId: row.id,
    })
    return { row, code }
  })
  if (code !== null) await sendIssued(deps, row, code)
  const { db } = deps.databases
  return { ...(await readDestination(db, deps, member, row.id)), signing_secret: made?.shown ?? null }
}

/**
 * Changes what is given of a destination. Other settings or secrets begin it anew: it is tried again where it failed, and confirmed again
 * where a code was sent to it. Throws NOT_FOUND, INVALID_INPUT by field, and CONFLICT when it was changed since `expected_updated_at`.
 */
export async function changeDestination(
  deps: DestinationDeps,
  member: Member,
  id: number,
  change: DestinationChange,
): Promise<Destination> {
  const { row, code } = await withOwnChanges(deps.databases, member.id, async (transaction) => {
    const before = await lockDestination(transaction, member, id)
    const { expected_updated_at: expected, name, affiliate_tag, disclosure, is_paused } = change
    if (expected !== undefined && Date.parse(expected) !== before.updated_at.getTime())
      throw destinationChanged()
    const anew = await changedContent(deps, before, change)
    const kind = kindOf(deps.kinds, before.kind)
    if (anew && kind.description.confirmed_by !== 'link')
      await refuseCopy(transaction, deps, before, kind, { ...anew, entered: typedOf(kind, anew.secrets) })
    // Whoever lets it go on has it tried again, whatever it said before.
    const isTriedAgain = (anew !== undefined || is_paused === false) && before.state !== 'unconfirmed'
    const isUnconfirmed = anew?.isConfirmedAnew === true
    const row = await transaction
      .updateTable('destinations')
      .set({
        name: name ?? before.name,
        affiliate_tag: affiliate_tag ?? before.affiliate_tag,
        disclosure: disclosure ?? before.disclosure,
        is_paused: is_paused ?? before.is_paused,
        updated_at: changedNow,
        ...(anew && {
          settings: JSON.stringify(anew.settings),
          secrets: await sealSecrets(deps, id, anew.secrets),
          secret_names: Object.keys(anew.secrets),
        }),
        ...(isTriedAgain && { state: 'ok', state_text: '', failing_since: null, resume_at: null }),
        ...(isUnconfirmed && { state: 'unconfirmed', state_text: '', failing_since: null }),
        // Why it is paused its owner knows, unlike where it was paused by itself, or by somebody at the other end.
        ...(is_paused === true && !before.is_paused && { state_text: '' }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const code = isUnconfirmed ? await issueCode(transaction, deps, member, row, kind) : null
    if (isTriedAgain && !isUnconfirmed) await catchUp(transaction, [id])
    await record(transaction, member, 'change', before, row)
    const { owner_id: ownerId } = row
    await publishDeliveries(transaction, { ownerId, changed: 'destinations', destinationId: id })
    return { row, code }
  })
  if (code !== null) await sendIssued(deps, row, code)
  return readDestination(deps.databases.db, deps, member, id)
}

type Content = { settings: Destination['settings']; secrets: Secrets; isConfirmedAnew: boolean }

/** Settings and secrets after a change; undefined where both stay what they are. Throws INVALID_INPUT by field. */
async function changedContent(
  deps: DestinationDeps,
  before: DestinationRow,
  { settings: given, secrets: givenSecrets }: DestinationChange,
): Promise<Content | undefined> {
  if (given === undefined && givenSecrets === undefined) return undefined
  const kind = kindOf(deps.kinds, before.kind)
  const kept = await keptSecrets(deps, before, givenSecrets !== undefined)
  const secrets = mergedSecrets(kind, kept, givenSecrets ?? {})
  const merged = given === undefined ? before.settings : mergedSettings(kind, before.settings, given)
  const { settings } = bindDestination(kind, merged, secrets)
  const stored = { settings: before.settings, secrets: kept }
  refuseElsewhere(kind, stored, { settings, given: givenSecrets ?? {} })
  const isOther = differs(before.settings, settings)
  const isGroup = before.owner_id === null
  if (isOther) refusePrivate(kind, settings, { allow: deps.settings.FETCH_ALLOW, isGroup })
  if (!isOther && !differs(kept, secrets)) return undefined
  return { settings, secrets, isConfirmedAnew: isOther && kind.description.confirmed_by === 'code' }
}

/** The stored secrets; where they can't be read any more and others are given, there are none. */
async function keptSecrets(deps: DestinationDeps, row: DestinationRow, areGiven: boolean): Promise<Secrets> {
  try {
    return await openSecrets(deps, row)
  } catch (error) {
    if (areGiven) return {}
    throw error
  }
}

/** Whether two have other values, in whatever order. */
function differs(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].some((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
}

/** Removes a destination with its alerts and its log. Throws NOT_FOUND. */
export async function removeDestination(deps: DestinationDeps, member: Member, id: number): Promise<void> {
  await withOwnChanges(deps.databases, member.id, async (transaction) => {
    const before = await lockDestination(transaction, member, id)
    await transaction.deleteFrom('destinations').where('id', '=', id).execute()
    await record(transaction, member, 'remove', before, null)
    for (const changed of ['destinations', 'alerts', 'log'] as const)
      await publishDeliveries(transaction, { ownerId: before.owner_id, changed, destinationId: id })
  })
}

async function refuseMore(transaction: Database, { id }: Member, isGroup: boolean): Promise<void> {
  // Of the group there is nobody's account to lock; what is sent meanwhile is in nobody's way.
  if (isGroup) await sql`lock table destinations in share update exclusive mode`.execute(transaction)
  const { count } = await transaction
    .selectFrom('destinations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('owner_id', 'is not distinct from', isGroup ? null : id)
    .executeTakeFirstOrThrow()
  const most = isGroup ? mostGroupDestinations : mostDestinations
  if (count >= most) throw tooManyDestinations(most, isGroup)
}

/** Refuses a destination that has the very settings and secrets of another one of its owner. Throws CONFLICT. */
async function refuseCopy(
  transaction: Database,
  deps: DestinationDeps,
  { id, owner_id }: { id?: number; owner_id: number | null },
  kind: AnyDestinationKind,
  { settings, entered }: { settings: Destination['settings']; entered: Secrets },
): Promise<void> {
  const others = await transaction
    .selectFrom('destinations')
    .selectAll()
    .where('owner_id', 'is not distinct from', owner_id)
    .where('kind', '=', kind.kind)
    .$if(id !== undefined, (query) => query.where('id', '<>', id ?? 0))
    .limit(mostGroupDestinations)
    .execute()
  for (const other of others) {
    if (differs(other.settings, settings)) continue
    const kept = await openSecrets(deps, other).catch(() => undefined)
    if (!kept) continue
    const theirs = typedOf(kind, kept)
    if (kind.placeOf ? kind.placeOf(theirs) === kind.placeOf(entered) : !differs(theirs, entered))
      throw samePlace(other.name)
  }
}

/** Those of a destination's secrets that somebody has entered. */
function typedOf(kind: AnyDestinationKind, secrets: Secrets): Secrets {
  const names = secretFields(kind)
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => names.includes(name)))
}

/** Notes a change of the group's destinations; what members do with their own is theirs. */
async function record(
  transaction: Database,
  { id, username }: Member,
  action: 'add' | 'change' | 'remove',
  before: DestinationRow | null,
  after: DestinationRow | null,
): Promise<void> {
  const row = after ?? before
  if (!row || row.owner_id !== null) return
  await recordChange(transaction, {
    ...{ actor: { id, username }, action, subject: { kind: 'destination', id: row.id, name: row.name } },
    ...{ before: before && auditState(before), after: after && auditState(after) },
  })
}
