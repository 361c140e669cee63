import type { Role, UserStatus } from '@dealdeck/contract/session'
import type { UserRecord, userListInputSchema } from '@dealdeck/contract/users'
import type { z } from 'zod'
import { ApiError, errorMessage } from '../../platform/api-error.ts'

/** Which users the list shows; what is undefined makes no difference. */
export type UserFilters = {
  search: string
  role: Role | undefined
  status: UserStatus | undefined
  active: boolean | undefined
}

export const noFilters: UserFilters = { search: '', role: undefined, status: undefined, active: undefined }

export function isUnfiltered({ search, role, status, active }: UserFilters): boolean {
  return search === '' && role === undefined && status === undefined && active === undefined
}

/** The server's question for some filters. */
export function listInput({
  search,
  role,
  status,
  active,
}: UserFilters): z.input<typeof userListInputSchema> {
  return {
    ...(search !== '' && { search }),
    ...(role !== undefined && { role }),
    ...(status !== undefined && { status }),
    ...(active !== undefined && { is_active: active }),
  }
}

/** '1 user', '5,000 users', '12 users match'. */
export function countLine(total: number, filtered: boolean, number: (value: number) => string): string {
  if (filtered) return total === 1 ? '1 user matches' : `${number(total)} users match`
  return total === 1 ? '1 user' : `${number(total)} users`
}

export type Badge = { text: string; tone: 'accent' | 'warning' | 'danger' | 'quiet' }

/** What is out of the ordinary about an account, the most pressing first. */
export function badgesOf({ role, status, is_active }: UserRecord): Badge[] {
  const badges: Badge[] = []
  if (status === 'pending') badges.push({ text: 'Pending', tone: 'warning' })
  if (status === 'rejected') badges.push({ text: 'Rejected', tone: 'danger' })
  if (!is_active) badges.push({ text: 'Inactive', tone: 'quiet' })
  if (role === 'admin') badges.push({ text: 'Admin', tone: 'accent' })
  return badges
}

export const statusLabels: Record<UserStatus, string> = {
  approved: 'Approved',
  pending: 'Pending',
  rejected: 'Rejected',
}

export const roleLabels: Record<Role, string> = { user: 'User', admin: 'Administrator' }

/** '1 live session', 'No live session'. */
export function sessionsLine(count: number, number: (value: number) => string): string {
  if (count === 0) return 'No live session'
  return count === 1 ? '1 live session' : `${number(count)} live sessions`
}

/** What can be done with one click, by what it is called when it fails. */
export type Switching = 'activate' | 'deactivate' | 'approve' | 'reject'

export const switches: Record<
  Switching,
  { change: { is_active: boolean } | { status: UserStatus }; done: string }
> = {
  activate: { change: { is_active: true }, done: 'is active' },
  deactivate: { change: { is_active: false }, done: 'is inactive and signed out everywhere' },
  approve: { change: { status: 'approved' }, done: 'is approved' },
  reject: { change: { status: 'rejected' }, done: 'is rejected and signed out everywhere' },
}

/** What to say after something failed. A refusal has its own words, which begin the same. */
export function failureLine(what: string, error: unknown): string {
  if (error instanceof ApiError && error.status < 500) return error.message
  return `${what}. ${errorMessage(error)}`
}

/** Whether what is on the screen is out of date, so that it should be fetched again. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || 'expected_updated_at' in error.fields)
}

export type UserFields = { username: string; password: string; role: Role }
export type UserField = keyof UserFields
export type FormProblem = { message: string; fields: UserField[] }

const requiredLine = 'Username and password are required'
/** The contract's own constant would bring the schema library into this screen; a test holds the two together. */
export const shortestPassword = 6

/** What is wrong with the form before anything is sent, or null. An account that exists may keep its password. */
export function findProblem({ username, password }: UserFields, isNew: boolean): FormProblem | null {
  const noName = username.trim() === ''
  const noPassword = password.trim() === ''
  if (isNew && (noName || noPassword)) {
    const fields: UserField[] = noName ? ['username'] : []
    if (noPassword) fields.push('password')
    return { message: requiredLine, fields }
  }
  if (noName) return { message: 'Username is required', fields: ['username'] }
  if (!noPassword && password.trim().length < shortestPassword) {
    return {
      message: `Password must be at least ${shortestPassword} characters long`,
      fields: ['password'],
    }
  }
  return null
}

/** What to say after the server refused the form, or could not be asked. */
export function formProblem(error: unknown): FormProblem {
  if (!(error instanceof ApiError))
    return { message: `An error occurred. ${errorMessage(error)}`, fields: [] }
  const fields = (['username', 'password', 'role'] as const).filter((field) => field in error.fields)
  const message = error.status < 500 ? error.message : `An error occurred. ${error.message}`
  return { message, fields }
}

/** What the edit form changes: only what differs. Null when nothing does. */
export function changesOf(user: UserRecord, fields: UserFields): Partial<UserFields> | null {
  const username = fields.username.trim().toLowerCase()
  const password = fields.password.trim()
  const change: Partial<UserFields> = {
    ...(username !== user.username && { username }),
    ...(password !== '' && { password }),
    ...(fields.role !== user.role && { role: fields.role }),
  }
  return Object.keys(change).length === 0 ? null : change
}
