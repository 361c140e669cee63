import { timingSafeEqual } from 'node:crypto'
import type { Destination } from '@dealdeck/contract/deliveries'
import { withOwnChanges } from '../../../platform/accounts/own-changes.ts'
import type { Database } from '../../../platform/database/database.ts'
import { AppError, toError } from '../../../platform/errors.ts'
import { secretPlaces } from '../../../platform/secret-box.ts'
import { type Actor, recordChange } from '../../audit/actions.ts'
import { hashCode, makeCode } from '../kinds/codes.ts'
import type { AnyDestinationKind } from '../kinds/destination-kind.ts'
import { publishDeliveries } from '../live.ts'
import { type DestinationRow, lockDestination, readDestination, type Viewer } from '../queries.ts'
import { catchUp } from '../sending/catching-up.ts'
import type { DestinationDeps } from './destination-deps.ts'
import { takePaced } from './pacing.ts'
import { bindDestination, kindOf, openSecrets, sealSecrets } from './secrets-and-settings.ts'

/** For so long a code holds, in milliseconds. */
const codeMs = 15 * 60_000
/** After so many wrong ones another code is needed. */
const mostFailures = 5
/** So long it may take to send one, in milliseconds. */
const sendingMs = 20_000

/**
 * Gives a destination another code, in the caller's transaction, and returns it. One that links is stored sealed as well, to be shown again.
 * Throws TOO_MANY_REQUESTS.
 */
export async function issueCode(
  transaction: Database,
  deps: DestinationDeps,
  { id: userId }: Viewer,
  { id }: Pick<DestinationRow, 'id'>,
  kind: AnyDestinationKind,
): Promise<string> {
  await takePaced(transaction, 'code', userId)
  const code = makeCode()
  const isShown = kind.description.confirmed_by === 'link'
  const expiresAt = new Date(deps.clock().getTime() + codeMs)
  await transaction
    .updateTable('destinations')
    .set({
      ...{ code_hash: hashCode(code), code_failures: 0, state_text: '' },
      code: isShown ? await deps.secretBox.seal(code, secretPlaces.destinationCode(id)) : null,
      code_expires_at: expiresAt,
      // What waits for another address isn't left out while its code may still be entered.
      ...(!isShown && { resume_at: expiresAt }),
    })
    .where('id', '=', id)
    .execute()
  return code
}

/** Sends a code where its kind does so by itself. What goes wrong is written down as the destination's state. */
export async function sendIssued(deps: DestinationDeps, row: DestinationRow, code: string): Promise<void> {
  const kind = kindOf(deps.kinds, row.kind)
  if (kind.description.confirmed_by !== 'code') return
  const text = await sendingFailure(deps, kind, row, code)
  if (text === null) return
  const { db } = deps.databases
  await db.updateTable('destinations').set({ state_text: text }).where('id', '=', row.id).execute()
}

/** Why a code could not be sent; null where it was. */
async function sendingFailure(
  deps: DestinationDeps,
  kind: AnyDestinationKind,
  row: DestinationRow,
  code: string,
): Promise<string | null> {
  const signal = AbortSignal.timeout(sendingMs)
  try {
    const secrets = await openSecrets(deps, row)
    const bound = bindDestination(kind, row.settings, secrets)
    const target = { id: row.id, secrets, isGroup: row.owner_id === null }
    const outcome = await bound.sendCode?.(target, code, deps, { timeZone: 'UTC', signal })
    if (!outcome || outcome.result === 'sent' || outcome.result === 'unknown') return null
    return `The code could not be sent. ${outcome.text}`
  } catch (error) {
    // What the error says may hold an address or a secret.
    const reason = toError(error).name
    if (!signal.aborted) deps.log.warn({ reason, destination_id: row.id }, 'A code could not be sent')
    return 'The code could not be sent. Ask for another one in a moment.'
  }
}

const wrong = (message: string) => new AppError('UNPROCESSABLE', message, { fields: { code: message } })

/**
 * Confirms a destination with the code that was sent to it. Throws NOT_FOUND, CONFLICT where there is nothing to confirm by a code, and
 * UNPROCESSABLE for a wrong code, one that is over, and one of which too many wrong ones were entered.
 */
export async function confirmDestination(
  deps: DestinationDeps,
  member: Viewer,
  id: number,
  typed: string,
): Promise<Destination> {
  // A wrong one is counted, so the transaction has to commit.
  const refusal = await withOwnChanges(deps.databases, member.id, async (transaction) => {
    const row = await lockDestination(transaction, member, id)
    // Who sees the code of a link here has not shown that the chat is theirs.
    if (row.state !== 'unconfirmed' || row.code !== null || row.code_hash === null)
      throw new AppError('CONFLICT', 'There is nothing to confirm with a code here.')
    const { code_hash, code_failures, code_expires_at } = row
    if (code_expires_at === null || code_expires_at <= deps.clock())
      return wrong('This code is over. Ask for a new one.')
    if (code_failures >= mostFailures) return wrong('Too many wrong codes were entered. Ask for a new one.')
    const of = transaction.updateTable('destinations').where('id', '=', id)
    if (!timingSafeEqual(code_hash, hashCode(typed))) {
      await of.set({ code_failures: code_failures + 1 }).execute()
      return wrong('This is not the code that was sent.')
    }
    await of
      .set({
        ...{ state: 'ok', state_text: '', code_hash: null, code_expires_at: null, code_failures: 0 },
        resume_at: null,
      })
      .execute()
    await catchUp(transaction, [id])
    await publishDeliveries(transaction, {
      ...{ ownerId: row.owner_id, changed: 'destinations', destinationId: id },
    })
    return null
  })
  if (refusal) throw refusal
  return readDestination(deps.databases.db, deps, member, id)
}

/**
 * Sends or shows another code or, of a kind that signs, makes another signing secret, which is shown this once. Throws NOT_FOUND,
 * TOO_MANY_REQUESTS, and CONFLICT where there is nothing to renew.
 */
export async function renewDestination(
  deps: DestinationDeps,
  member: Viewer & Actor,
  id: number,
): Promise<Destination & { signing_secret: string | null }> {
  const { row, code, shown } = await withOwnChanges(deps.databases, member.id, async (transaction) => {
    const row = await lockDestination(transaction, member, id)
    const kind = kindOf(deps.kinds, row.kind)
    const isConfirmed = row.state !== 'unconfirmed' && row.state !== 'gone'
    const isByCode = kind.description.confirmed_by !== 'nothing'
    if (isByCode ? isConfirmed : !kind.rotate) {
      const text = isByCode ? 'It is confirmed already: no code is needed.' : 'There is nothing to renew.'
      throw new AppError('CONFLICT', text)
    }
    const { code, shown } = isByCode
      ? { code: await unconfirm(transaction, deps, member, row, kind), shown: null }
      : { code: null, shown: await rotate(transaction, deps, row, kind) }
    if (row.owner_id === null)
      await recordChange(transaction, {
        ...{ actor: { id: member.id, username: member.username }, action: 'change', before: null },
        subject: { kind: 'destination', id, name: row.name },
        after: isByCode ? { code_renewed: true } : { signing_key_renewed: true },
      })
    const { owner_id: ownerId } = row
    await publishDeliveries(transaction, { ownerId, changed: 'destinations', destinationId: id })
    return { row, code, shown }
  })
  if (code !== null) await sendIssued(deps, row, code)
  return { ...(await readDestination(deps.databases.db, deps, member, id)), signing_secret: shown }
}

async function unconfirm(
  transaction: Database,
  deps: DestinationDeps,
  member: Viewer,
  row: DestinationRow,
  kind: AnyDestinationKind,
): Promise<string> {
  const of = transaction.updateTable('destinations').where('id', '=', row.id)
  await of.set({ state: 'unconfirmed', failing_since: null }).execute()
  return issueCode(transaction, deps, member, row, kind)
}

async function rotate(
  transaction: Database,
  deps: DestinationDeps,
  row: DestinationRow,
  kind: AnyDestinationKind,
): Promise<string | null> {
  const secrets = await openSecrets(deps, row)
  const made = kind.rotate?.(secrets, deps.clock())
  if (!made) return null
  const kept = { ...secrets, ...made.secrets }
  await transaction
    .updateTable('destinations')
    .set({ secrets: await sealSecrets(deps, row.id, kept), secret_names: Object.keys(kept) })
    .where('id', '=', row.id)
    .execute()
  return made.shown
}
