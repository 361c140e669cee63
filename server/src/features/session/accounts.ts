import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { givenUsernameSchema, type Role, roleSchema, usernameSchema } from '@dealdeck/contract/session'
import { sql } from 'kysely'
import { z } from 'zod'
import type { BuiltInAccount } from '../../platform/accounts/built-in-accounts.ts'
import type { Database, Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Settings } from '../../platform/settings.ts'
import { endSessions, findNameClash, lockUsers, notifySessions } from './actions.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { nameForms, nameSkeleton } from './rules.ts'

export type NewAccount = { username: string; password: string; role: Role }

/** Two administrators and two users, so that a new installation can be tried from both sides at once. */
const firstNames: [string, Role][] = [
  ['admin', 'admin'],
  ['admin2', 'admin'],
  ['user', 'user'],
  ['user2', 'user'],
]

/** The accounts of an embedded installation that also sign in while its database is away. */
export const firstAccounts: readonly BuiltInAccount[] = firstNames.map(([username, role]) => ({
  username,
  role,
}))

/** A password nobody has to think up: 16 characters from an alphabet without look-alikes, about 80 bits. */
export function randomPassword(): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
  return Array.from(randomBytes(16), (byte) => alphabet[byte % alphabet.length]).join('')
}

/** Makes an approved, active account inside a transaction. The name is as `usernameSchema` gives it. Throws USERNAME_TAKEN. */
export async function createAccount(
  transaction: Database,
  { username, password, role }: NewAccount,
): Promise<void> {
  const password_hash = await hashPassword(password)
  await refuseNameClash(transaction, username)
  const { id } = await transaction
    .insertInto('users')
    .values({ username, password_hash, role })
    .returning('id')
    .executeTakeFirstOrThrow()
  // From now on a built-in account of this name follows the new one.
  await notifySessions(transaction, id)
}

async function refuseNameClash(transaction: Database, username: string, except?: number): Promise<void> {
  const clash = await findNameClash(transaction, username, except)
  if (clash === undefined) return
  const message =
    clash === username
      ? 'Username already exists. Please choose a different username.'
      : `The username ${username} looks like ${clash}, which another active user has. Please choose a different username.`
  throw new AppError('USERNAME_TAKEN', message)
}

/** Whether anybody has an account, active or not. */
export async function hasAccounts({ db }: Databases): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Gives an installation without accounts its first four, with random passwords, and writes these to `file`, which only
 * its owner can read. `taken` is a name to leave out.
 */
export async function makeFirstAccounts(
  { durableDb }: Databases,
  file: string,
  taken: string,
): Promise<NewAccount[]> {
  const accounts = makeUpAccounts().filter(({ username }) => nameSkeleton(username) !== nameSkeleton(taken))
  // The file comes first: accounts whose passwords nobody knows would lock everybody out.
  await rm(file, { force: true })
  await writeFile(file, listAccounts(accounts), { mode: 0o600, flush: true })
  await durableDb.transaction().execute(async (transaction) => {
    for (const account of accounts) await createAccount(transaction, account)
  })
  return accounts
}

const makeUpAccounts = () =>
  firstNames.map(([username, role]) => ({ username, role, password: randomPassword() }))

const accountsFileSchema = z
  .array(z.strictObject({ username: givenUsernameSchema, role: roleSchema, password_hash: z.string() }))
  .min(1)
  .max(20)
  .refine(
    (accounts) => new Set(accounts.map(({ username }) => nameSkeleton(username))).size === accounts.length,
  )

/**
 * Writes a file of built-in accounts for an installation on a database of its operator's: two administrators and two
 * users, of whose passwords it holds only hashes. Refuses to replace a file. Returns the passwords, stored nowhere else.
 */
export async function writeAccountsFile(file: string): Promise<NewAccount[]> {
  const accounts = makeUpAccounts()
  const rows = accounts.map(async ({ password, ...account }) => ({
    ...account,
    password_hash: await hashPassword(password),
  }))
  const text = `${JSON.stringify(await Promise.all(rows), null, 2)}\n`
  await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true }).catch((error: unknown) => {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw isThere
      ? new Error(`${file} exists already; delete it first to make new accounts.`, { cause: error })
      : error
  })
  return accounts
}

/** Of these names, those that the users table has, and whether somebody signs in with them. Empty before the first start. */
export async function findTakenNames(
  { db }: Databases,
  names: string[],
): Promise<{ username: string; works: boolean }[]> {
  const works = sql<boolean>`bool_or(is_active and status = 'approved')`.as('works')
  const users = db.selectFrom('users').select(['username', works]).where('username', 'in', names)
  return users
    .groupBy('username')
    .orderBy('username')
    .execute()
    .catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === '42P01') return []
      throw error
    })
}

/** Reads such a file. Throws one clear line when it can't be read or is not one. */
export async function readAccountsFile(file: string): Promise<BuiltInAccount[]> {
  const wrong = (why: string, cause: unknown) =>
    new Error(
      `Setting BUILT_IN_ACCOUNTS: ${file} ${why}. Make one with: npm run cli -- built-in-accounts ${file}`,
      {
        cause,
      },
    )
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw wrong('can not be read', error)
  })
  try {
    return accountsFileSchema.parse(JSON.parse(text))
  } catch (error) {
    throw wrong('is not a file of accounts', error)
  }
}

/** The accounts as lines to read and copy from. */
export function listAccounts(accounts: NewAccount[]): string {
  const width = Math.max(...accounts.map(({ username }) => username.length))
  const line = ({ username, password, role }: NewAccount) =>
    `${username.padEnd(width)}  ${password}  ${role === 'admin' ? 'administrator' : 'user'}\n`
  return accounts.map(line).join('')
}

/** What the first start says of its accounts. Passwords are written to a terminal only: other output is somebody's log. */
export function announceAccounts(accounts: NewAccount[], file: string, isTerminal: boolean): string {
  if (isTerminal) return `The first accounts, also in ${file}:\n\n${listAccounts(accounts)}`
  return `The first accounts and their passwords are in ${file}, which only its owner can read.`
}

/** One line for as long as nobody can sign in as an administrator, on how to make one and who gets in meanwhile. */
export async function noAdministrator(
  { db }: Databases,
  mode: Settings['SIGNUP_MODE'],
): Promise<string | undefined> {
  const isThere = await db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('status', '=', 'approved')
    .where('is_active', '=', true)
    .limit(1)
    .executeTakeFirst()
  if (isThere) return undefined
  const meanwhile = {
    open: ' Meanwhile anybody may sign up and see all deals (SIGNUP_MODE=open).',
    approval: ' Meanwhile anybody may sign up, and waits for an administrator (SIGNUP_MODE=approval).',
    closed: '',
  }
  return `Nobody can administer this installation yet. Make an administrator with: npm run cli -- create-user NAME --admin, or start it with ADMIN_USERNAME and ADMIN_PASSWORD.${meanwhile[mode]}`
}

/**
 * Sees to it that this administrator exists and can sign in with this password: makes, promotes, approves or reactivates
 * the account and sets the password where it differs. A change ends the account's sessions. `given` is trimmed and in
 * lower case. Throws one clear line when it can't be made a name, or looks like another active user's.
 */
export async function ensureAdministrator(
  { durableDb }: Databases,
  given: string,
  password: string,
): Promise<'made' | 'changed' | 'unchanged'> {
  return durableDb
    .transaction()
    .execute((transaction) => keepWithin(transaction, given, password))
    .catch((error: unknown) => {
      if (!(error instanceof AppError || error instanceof z.ZodError)) throw error
      const why = error instanceof AppError ? error.message : error.issues[0]?.message
      throw new Error(`Setting ADMIN_USERNAME: ${why}`, { cause: error })
    })
}

async function keepWithin(transaction: Database, given: string, password: string) {
  // Several applications may start at once with the same settings.
  await lockUsers(transaction)
  const names = nameForms(given)
  const user = await transaction
    .selectFrom('users')
    .select(['id', 'username', 'role', 'status', 'is_active', 'password_hash'])
    .where('username', 'in', names)
    .orderBy('is_active', 'desc')
    .orderBy(sql`array_position(${names}::text[], username)`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!user) {
    await createAccount(transaction, { username: usernameSchema.parse(given), password, role: 'admin' })
    return 'made'
  }
  const knows = await verifyPassword(password, user.password_hash)
  if (knows && user.role === 'admin' && user.status === 'approved' && user.is_active) return 'unchanged'
  if (!user.is_active) await refuseNameClash(transaction, user.username, user.id)
  const password_hash = knows ? user.password_hash : await hashPassword(password)
  await transaction
    .updateTable('users')
    .set({ role: 'admin', status: 'approved', is_active: true, password_hash, updated_at: new Date() })
    .where('id', '=', user.id)
    .execute()
  await endSessions(transaction, user.id)
  return 'changed'
}
