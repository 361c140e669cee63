import type { AuditAction, AuditState } from '@dealdeck/contract/audit'
import type { Role, UserStatus } from '@dealdeck/contract/session'
import type { UserListInput, UserPage } from '@dealdeck/contract/users'
import type { KnownAccount } from '../../platform/accounts/built-in-accounts.ts'
import { AppError } from '../../platform/errors.ts'
import { nameKey } from '../session/rules.ts'

/** What administrators may change of an account, as far as it can be shown. */
export type Account = { username: string; role: Role; status: UserStatus; is_active: boolean }

/** A change whose password has been hashed. */
export type AccountChange = { [Field in keyof Account]?: Account[Field] | undefined } & {
  password_hash?: string | undefined
}

/** Whether an account can administrate: such accounts never run out. */
export function isWorkingAdmin({ role, status, is_active }: Account): boolean {
  return role === 'admin' && status === 'approved' && is_active
}

const shown = ['username', 'role', 'status', 'is_active'] as const

/** The fields that differ, as they were and as they will be; undefined when nothing does. A password always differs. */
export function differences(
  before: Account,
  change: AccountChange,
): { before: AuditState; after: AuditState } | undefined {
  const changed = shown.filter((field) => change[field] !== undefined && change[field] !== before[field])
  const password: AuditState = change.password_hash === undefined ? {} : { password_changed: true }
  if (changed.length === 0 && change.password_hash === undefined) return undefined
  return {
    before: Object.fromEntries(changed.map((field) => [field, before[field]])),
    after: { ...Object.fromEntries(changed.map((field) => [field, change[field] ?? null])), ...password },
  }
}

/** The account as it will be. */
export function applyChange(before: Account, change: AccountChange): Account {
  return {
    username: change.username ?? before.username,
    role: change.role ?? before.role,
    status: change.status ?? before.status,
    is_active: change.is_active ?? before.is_active,
  }
}

/** Whether a change is more than a switch of status or activity: such changes are for active accounts. */
export function touchesAccount(after: AuditState): boolean {
  return 'username' in after || 'role' in after || 'password_changed' in after
}

/** What a change is called: one that touches a single switch is named after it. */
export function actionOf(after: AuditState): AuditAction {
  const [field, ...others] = Object.keys(after)
  if (others.length > 0) return 'change'
  if (field === 'is_active') return after.is_active === true ? 'activate' : 'deactivate'
  if (after.status === 'approved') return 'approve'
  return after.status === 'rejected' ? 'reject' : 'change'
}

/** The specification's words for a change that didn't happen. */
export function refusalOf(change: AccountChange): string {
  if (change.is_active !== undefined && onlyField(change)) {
    return change.is_active ? 'Failed to activate user' : 'Failed to deactivate user'
  }
  if (change.status !== undefined && onlyField(change)) {
    if (change.status === 'approved') return 'Failed to approve user'
    if (change.status === 'rejected') return 'Failed to reject user'
  }
  return 'Failed to update user'
}

/** The same when another active user, `clash`, has the name or one that looks like it. */
export function addClashRefusal(username: string, clash: string): string {
  if (clash === username) return 'Failed to add user - username may already exist'
  return `Failed to add user - the username ${looksLike(clash)}`
}

/** The same for a change. Activating says so by itself, since nobody typed a name. */
export function clashRefusal(change: AccountChange, username: string, clash: string): string {
  const isRenamed = change.username !== undefined
  const refusal = isRenamed ? 'Failed to update user' : 'Failed to activate user'
  if (clash !== username) return `${refusal} - the username ${looksLike(clash)}`
  if (isRenamed) return `${refusal} - username may already exist`
  return `${refusal} - the username is taken by another active user`
}

function looksLike(clash: string): string {
  return `looks like ${clash}, which another active user has`
}

function onlyField(change: AccountChange): boolean {
  return Object.values(change).filter((value) => value !== undefined).length === 1
}

/** Where a page of the list begins: after the user created at `micros` (since 1970, in microseconds) with `id`. */
export type Cursor = { micros: number; id: number }

export function writeCursor({ micros, id }: Cursor): string {
  return `${micros}-${id}`
}

/** The cursor of a text made by `writeCursor`; INVALID_INPUT for any other text. */
export function readCursor(text: string): Cursor {
  const [, micros, id] = /^(\d{1,15}|[1-8]\d{15})-(\d{1,15})$/.exec(text) ?? []
  if (micros !== undefined && id !== undefined) return { micros: Number(micros), id: Number(id) }
  const message = 'is not a cursor of this list; leave it out to start again'
  throw new AppError('INVALID_INPUT', `cursor ${message}`, { fields: { cursor: message } })
}

/** The built-in accounts as a list of users, for while the table can't be read. `countSessions` says how many are open. */
export function builtInPage(
  accounts: readonly KnownAccount[],
  { search, role, status, is_active }: UserListInput,
  countSessions: (account: KnownAccount) => number,
): UserPage {
  const items = accounts
    .map((account, index) => ({
      id: -1 - index,
      username: account.username,
      role: account.role,
      status: 'approved' as const,
      is_active: true,
      created_at: account.created_at.toISOString(),
      updated_at: account.updated_at.toISOString(),
      last_sign_in_at: account.last_sign_in_at?.toISOString() ?? null,
      live_sessions: countSessions(account),
    }))
    .filter(
      (user) =>
        nameKey(user.username).includes(nameKey(search)) &&
        (role ?? user.role) === user.role &&
        (status ?? user.status) === user.status &&
        (is_active ?? true),
    )
  return { items, next_cursor: null, total: items.length, is_fallback: true }
}
