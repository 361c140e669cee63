import type { PasswordChange } from '@dealdeck/contract/profile'
import { sql } from 'kysely'
import type { LiveSession } from '../../platform/accounts/sessions.ts'
import type { SignInThrottle } from '../../platform/accounts/sign-in-throttle.ts'
import type { Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { recordChange } from '../audit/actions.ts'
import { confirmPassword, endSessions, hashNewPassword, notifySessions } from '../session/actions.ts'

/**
 * Gives the caller's account a new password and ends all its other sessions. Throws UNPROCESSABLE when the current
 * password is wrong or the new one is no other, TOO_MANY_REQUESTS after ten wrong ones within five minutes.
 */
export async function changePassword(
  databases: Databases,
  throttle: SignInThrottle,
  { key, user }: LiveSession,
  { current_password, new_password }: PasswordChange,
): Promise<void> {
  const confirmed = await throttle.confirm(user.id, async () => {
    const known = await confirmPassword(databases, user.id, current_password)
    if (known === undefined) return undefined
    if (new_password === current_password)
      throw wrong('new_password', 'The new password must differ from the current one')
    // Still in the member's turn: others who sign in wait for the same processor.
    return { known, password_hash: await hashNewPassword(new_password) }
  })
  if (confirmed === undefined) throw wrong('current_password', 'This is not your current password')
  const { known, password_hash } = confirmed
  await databases.durableDb.transaction().execute(async (transaction) => {
    const changed = await transaction
      .updateTable('users')
      .set({
        password_hash,
        updated_at: sql`greatest(date_trunc('milliseconds', now()), updated_at + interval '1 millisecond')`,
      })
      .where('id', '=', user.id)
      // Somebody else may have set another password since this one was looked at.
      .where('password_hash', '=', known)
      .executeTakeFirst()
    if (changed.numUpdatedRows === 0n) throw wrong('current_password', 'This is not your current password')
    await endSessions(transaction, user.id, key)
    if (user.role !== 'admin') return
    await recordChange(transaction, {
      actor: user,
      action: 'change',
      subject: { kind: 'user', id: user.id, name: user.username },
      before: {},
      after: { password_changed: true },
    })
  })
}

/** Ends one session of the caller's own account, and its streams. Throws NOT_FOUND for any other. */
export async function endOwnSession(
  { durableDb }: Databases,
  { user }: LiveSession,
  id: number,
): Promise<void> {
  await durableDb.transaction().execute(async (transaction) => {
    const ended = await transaction
      .deleteFrom('sessions')
      .where('id', '=', id)
      .where('user_id', '=', user.id)
      .returning('id')
      .executeTakeFirst()
    if (!ended) throw new AppError('NOT_FOUND', 'This session is already over.')
    await notifySessions(transaction, user.id)
  })
}

/** Ends all sessions of the caller's own account but the one that asks. Returns how many there were. */
export async function endOtherSessions(
  { durableDb }: Databases,
  { key, user }: LiveSession,
): Promise<{ ended: number }> {
  const ended = await durableDb.transaction().execute((transaction) => endSessions(transaction, user.id, key))
  return { ended }
}

function wrong(field: keyof PasswordChange, message: string): AppError {
  return new AppError('UNPROCESSABLE', message, { fields: { [field]: message } })
}
