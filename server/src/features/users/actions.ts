import type { UserChange, UserInput, UserRecord } from '@dealdeck/contract/users'
import { sql } from 'kysely'
import type { Database, Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { type Actor, recordChange } from '../audit/actions.ts'
import { handOverShared } from '../searches/actions.ts'
import { endSessions, findNameClash, hashNewPassword, lockUsers, notifySessions } from '../session/actions.ts'
import { findAccount, findOtherAdmin, findUser } from './queries.ts'
import {
  type AccountChange,
  actionOf,
  addClashRefusal,
  applyChange,
  clashRefusal,
  differences,
  isWorkingAdmin,
  refusalOf,
  touchesAccount,
} from './rules.ts'

/** Adds an approved, active account. Returns it. Throws USERNAME_TAKEN when an active account has the name, or one that looks like it. */
export async function addUser(
  databases: Databases,
  actor: Actor,
  { username, password, role }: UserInput,
): Promise<UserRecord> {
  const password_hash = await hashNewPassword(password)
  return withUserWrites(databases, actor, async (transaction) => {
    const clash = await findNameClash(transaction, username)
    if (clash !== undefined) throw nameTaken(addClashRefusal(username, clash))
    const { id } = await transaction
      .insertInto('users')
      .values({ username, password_hash, role, status: 'approved', is_active: true })
      .returning('id')
      .executeTakeFirstOrThrow()
    await recordChange(transaction, {
      actor,
      action: 'add',
      subject: { kind: 'user', id, name: username },
      before: null,
      after: { username, role, status: 'approved', is_active: true },
    })
    await notifySessions(transaction, id)
    return recordOf(transaction, id)
  })
}

/**
 * Changes what is given of an account and returns it. Any change but that of a name ends its sessions. Name, password and
 * role are changed of active accounts only, or with the activation. Throws NOT_FOUND, USERNAME_TAKEN, CONFLICT (changed
 * since `expected_updated_at`, the last administrator, an inactive account) and INVALID_INPUT when nothing is given.
 */
export async function updateUser(
  databases: Databases,
  actor: Actor,
  id: number,
  { expected_updated_at: expected, password, ...given }: UserChange,
): Promise<UserRecord> {
  if (password === undefined && Object.values(given).every((value) => value === undefined)) {
    throw new AppError(
      'INVALID_INPUT',
      'Please give a username, password, role, status or is_active to change.',
    )
  }
  const password_hash = password === undefined ? undefined : await hashNewPassword(password)
  const change: AccountChange = { ...given, password_hash }
  const refusal = refusalOf(change)
  return withUserWrites(databases, actor, async (transaction) => {
    const current = await findAccount(transaction, id)
    if (!current) throw new AppError('NOT_FOUND', `${refusal} - this user no longer exists`)
    if (expected !== undefined && Date.parse(expected) !== current.updated_at.getTime())
      throw changedMeanwhile()
    const { updated_at: _, id: __, ...before } = current
    const found = differences(before, change)
    if (!found) return recordOf(transaction, id)
    const after = applyChange(before, change)
    if (!before.is_active && !after.is_active && touchesAccount(found.after))
      throw new AppError('CONFLICT', `${refusal} - activate the user first`)
    if (isWorkingAdmin(before) && !isWorkingAdmin(after)) await keepAnAdmin(transaction, id, refusal)
    if (after.is_active && (!before.is_active || after.username !== before.username)) {
      const clash = await findNameClash(transaction, after.username, id)
      if (clash !== undefined) throw nameTaken(clashRefusal(change, after.username, clash))
    }
    await transaction
      .updateTable('users')
      // Two changes within one millisecond still differ, so that the second is noticed.
      .set({
        ...after,
        ...(password_hash !== undefined && { password_hash }),
        updated_at: sql`greatest(date_trunc('milliseconds', now()), updated_at + interval '1 millisecond')`,
      })
      .where('id', '=', id)
      .execute()
    if (Object.keys(found.after).some((field) => field !== 'username')) await endSessions(transaction, id)
    else await notifySessions(transaction, id)
    await recordChange(transaction, {
      actor,
      action: actionOf(found.after),
      subject: { kind: 'user', id, name: current.username },
      ...found,
    })
    return recordOf(transaction, id)
  })
}

/** Deletes an account and its sessions for good; what it shares with the group gets another owner. Throws NOT_FOUND, and CONFLICT for the last active administrator. */
export async function removeUser(databases: Databases, actor: Actor, id: number): Promise<void> {
  await withUserWrites(databases, actor, async (transaction) => {
    const current = await findAccount(transaction, id)
    if (!current) throw new AppError('NOT_FOUND', 'Failed to delete user - this user no longer exists')
    const { updated_at: _, id: __, ...before } = current
    if (isWorkingAdmin(before)) await keepAnAdmin(transaction, id, 'Failed to delete user')
    const heir = actor.id === id ? await findOtherAdmin(transaction, id) : actor
    if (heir) await handOverShared(transaction, { id, username: current.username }, heir, actor)
    await endSessions(transaction, id)
    await transaction.deleteFrom('users').where('id', '=', id).execute()
    const subject = { kind: 'user' as const, id, name: current.username }
    await recordChange(transaction, { actor, action: 'remove', subject, before, after: null })
  })
}

/**
 * Runs `work` in one transaction as the only administrator who changes users: two who demote each other would otherwise
 * both see an administrator left. Throws FORBIDDEN when the actor has stopped being one meanwhile.
 */
async function withUserWrites<T>(
  { durableDb }: Databases,
  actor: Actor,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return durableDb.transaction().execute(async (transaction) => {
    await lockUsers(transaction)
    const account = await findAccount(transaction, actor.id)
    if (!account || !isWorkingAdmin(account)) {
      throw new AppError('FORBIDDEN', 'You need administrator privileges to access this feature.')
    }
    return work(transaction)
  })
}

async function keepAnAdmin(transaction: Database, id: number, refusal: string): Promise<void> {
  if (await findOtherAdmin(transaction, id)) return
  throw new AppError('CONFLICT', `${refusal} - this is the last active administrator`)
}

async function recordOf(transaction: Database, id: number): Promise<UserRecord> {
  const record = await findUser(transaction, id)
  if (!record) throw new Error('a user vanished inside its own transaction')
  return record
}

const nameTaken = (message: string) =>
  new AppError('USERNAME_TAKEN', message, { fields: { username: message } })

function changedMeanwhile(): AppError {
  const message = 'Somebody else changed this user in the meantime. Look at it again before you change it.'
  return new AppError('CONFLICT', message, { fields: { expected_updated_at: message } })
}
