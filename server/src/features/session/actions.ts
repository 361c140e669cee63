import { setTimeout as delay } from 'node:timers/promises'
import type { Session, UserStatus } from '@dealdeck/contract/session'
import { sql } from 'kysely'
import type { BuiltInAccounts } from '../../platform/accounts/built-in-accounts.ts'
import type { KnownDevices } from '../../platform/accounts/known-devices.ts'
import { type Sessions, sessionsChannel } from '../../platform/accounts/sessions.ts'
import type { SignInThrottle } from '../../platform/accounts/sign-in-throttle.ts'
import { askingIn, changePatienceMs, takeLock } from '../../platform/database/advisory-locks.ts'
import type { Database, Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { networkAndSiteOf, networkOf } from '../../platform/http/caller-address.ts'
import { isDatabaseGone } from '../../platform/http/http-errors.ts'
import type { Settings } from '../../platform/settings.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import {
  findActiveUser,
  findHash,
  findLookAlike,
  findSessionAddresses,
  findWithoutSkeleton,
} from './queries.ts'
import { nameForms, nameKey, nameSkeleton } from './rules.ts'

/** A sign-in is answered no sooner than this, right or wrong, so its time reveals nothing. In milliseconds. */
const signInFloorMs = 500
const registrationClosed = 'Registration is currently unavailable. Please contact administrator.'
const nameTaken = 'Username already exists. Please choose a different username.'
const nameLooksAlike = "This username looks like another user's username. Please choose a different username."

/** Whoever takes a name, or changes users, does so alone until the transaction ends. Throws LockTimeoutError. */
export const lockUsers = (transaction: Database) => takeLock(askingIn(transaction), 'users', changePatienceMs)
/** Sessions that one statement deletes. */
const sweptAtOnce = 1_000
/** Names whose looks are worked out in one go. */
const skeletonsAtOnce = 5_000

// Verifying against it costs what a real account costs, so an unknown name takes as long as a known one.
const nobodysHash = hashPassword('no account has this password')

export type SignIn = {
  username: string
  password: string
  address: string
  userAgent: string
  /** The cookie of a device that somebody has signed in from. */
  deviceCookie?: string | undefined
  /** Aborted when nobody waits for the answer any more. */
  gone: AbortSignal
}

type SignInDeps = {
  databases: Databases
  sessions: Sessions
  throttle: SignInThrottle
  devices: KnownDevices
  builtIn: BuiltInAccounts
  floorMs?: number | undefined
}

/** `deviceCookie` is the device's from now on; built-in accounts leave it alone. */
export type SignedIn = { user: Session; token: string; deviceCookie?: string }

/**
 * Signs in by name and password: whose account it is, and the token of the session now open. Throws INVALID_CREDENTIALS,
 * ACCOUNT_PENDING (right password, waiting for approval) or TOO_MANY_REQUESTS, each no sooner than `floorMs` (500) after the call.
 * While the users table can't be read the built-in accounts sign in; for all other names the database's own error is thrown.
 */
export async function signIn(deps: SignInDeps, attempt: SignIn): Promise<SignedIn> {
  const floor = delay(deps.floorMs ?? signInFloorMs)
  const name = nameKey(attempt.username)
  const caller = networkAndSiteOf(attempt.address)
  const who = {
    ...{ ...caller, name, device: await deps.devices.find(attempt.deviceCookie, name) },
    isKnownHere: () => hasSessionFrom(deps.databases, attempt.username, caller.network),
    gone: attempt.gone,
  }
  try {
    return await deps.throttle.signIn(who, () =>
      openSession(deps, attempt).catch((error: unknown) => {
        if (isDatabaseGone(error)) return openFallback(deps, attempt, error)
        throw error
      }),
    )
  } finally {
    await floor
  }
}

async function openSession(
  { databases, sessions, devices }: SignInDeps,
  { username, password, address, userAgent, deviceCookie }: SignIn,
): Promise<SignedIn> {
  const user = await findActiveUser(databases.reservedDb, nameForms(username))
  const isRight = await verifyPassword(password, user?.password_hash ?? (await nobodysHash))
  if (!user || !isRight || user.status === 'rejected') throw accessDenied()
  if (user.status === 'pending')
    throw new AppError('ACCOUNT_PENDING', 'Your account is waiting for approval.')
  const { password_hash: passwordHash, ...account } = user
  const token = await sessions.open({ userId: user.id, passwordHash, userAgent, address })
  if (token === null) throw accessDenied()
  return { user: account, token, deviceCookie: await devices.add(deviceCookie, nameKey(username)) }
}

/** For a name that is not built in nobody can tell while the table can't be read, so it is the table's failure. */
async function openFallback(
  { sessions, throttle, builtIn }: SignInDeps,
  { username, password }: SignIn,
  failure: unknown,
): Promise<SignedIn> {
  const name = nameKey(username)
  const index = builtIn.list.findIndex((account) => nameKey(account.username) === name)
  const known = builtIn.list[index]
  const account = await throttle.signInBuiltIn(name, async () => {
    const isRight = await verifyPassword(password, known?.password_hash ?? (await nobodysHash))
    return isRight ? known : undefined
  })
  if (!account) throw known ? accessDenied() : failure
  const id = -1 - index
  return {
    user: { id, username: account.username, role: account.role, status: 'approved', is_fallback: true },
    token: sessions.openFallback(id, account),
  }
}

/** Whether the account of a name has a session that was opened or last used from this network. False while nobody can tell. */
async function hasSessionFrom(
  { reservedDb }: Databases,
  username: string,
  network: string,
): Promise<boolean> {
  try {
    const addresses = await findSessionAddresses(reservedDb, nameForms(username))
    return addresses.some((address) => networkOf(address) === network)
  } catch (error) {
    if (isDatabaseGone(error)) return false
    throw error
  }
}

const accessDenied = () => new AppError('INVALID_CREDENTIALS', 'Invalid username or password. Access denied.')

/** The hash a password (already trimmed) is stored as. Slow on purpose: ask for it before a transaction begins. */
export function hashNewPassword(password: string): Promise<string> {
  return hashPassword(password)
}

/** The hash of the user's password when that is the given one (already trimmed), otherwise undefined. */
export async function confirmPassword(
  { db }: Databases,
  userId: number,
  password: string,
): Promise<string | undefined> {
  const hash = await findHash(db, userId)
  return hash !== undefined && (await verifyPassword(password, hash)) ? hash : undefined
}

/**
 * Ends the sessions of a user, or all but one, when the transaction commits; every instance then closes their streams.
 * `keep` is the key of the session to leave alone. Returns how many there were.
 */
export async function endSessions(transaction: Database, userId: number, keep?: string): Promise<number> {
  const ended = await transaction
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(keep !== undefined, (query) => query.where('token_hash', '<>', Buffer.from(keep ?? '', 'base64url')))
    .executeTakeFirst()
  await notifySessions(transaction, userId)
  return Number(ended.numDeletedRows)
}

/** Deletes the sessions that were over at `now`, in pieces, until `signal` is aborted. Nobody has to hear of it. */
export async function sweepSessions(
  { durablePool }: Databases,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const { rowCount } = await durablePool.query(
      `delete from sessions where token_hash in
         (select token_hash from sessions where expires_at <= least($1, now()) order by expires_at limit ${sweptAtOnce})`,
      [now],
    )
    if (signal.aborted || (rowCount ?? 0) < sweptAtOnce) return
  }
}

/** Makes every instance look again at a user and their sessions when the transaction commits. */
export async function notifySessions(transaction: Database, userId: number): Promise<void> {
  await sql`select pg_notify(${sessionsChannel}, ${String(userId)})`.execute(transaction)
}

/**
 * The active user's name, if there is one, that is the same as this one or looks the same; `except` is the id of who may
 * have it. Until the transaction ends nobody else takes a name.
 */
export async function findNameClash(
  transaction: Database,
  username: string,
  except?: number,
): Promise<string | undefined> {
  await lockUsers(transaction)
  await fillSkeletons(transaction)
  return findLookAlike(transaction, username, nameSkeleton(username), except)
}

/** Works out what the names look like that were given since this was last done, or before it ever was. */
async function fillSkeletons(transaction: Database): Promise<void> {
  for (;;) {
    const users = await findWithoutSkeleton(transaction, skeletonsAtOnce)
    if (users.length === 0) return
    const ids = users.map(({ id }) => id)
    const skeletons = users.map(({ username }) => nameSkeleton(username))
    await sql`update users set name_skeleton = worked_out.skeleton
      from unnest(${ids}::bigint[], ${skeletons}::text[]) as worked_out(id, skeleton)
      where users.id = worked_out.id`.execute(transaction)
  }
}

/** Creates an account as SIGNUP_MODE says. Throws SIGNUP_CLOSED or USERNAME_TAKEN; of two racing for one name, one wins. */
export async function signUp(
  databases: Databases,
  settings: Settings,
  { username, password }: { username: string; password: string },
): Promise<Session> {
  if (settings.SIGNUP_MODE === 'closed') throw new AppError('SIGNUP_CLOSED', registrationClosed)
  const status: UserStatus = settings.SIGNUP_MODE === 'approval' ? 'pending' : 'approved'
  const password_hash = await hashPassword(password)
  try {
    return await databases.durableDb.transaction().execute(async (transaction) => {
      const clash = await findNameClash(transaction, username)
      if (clash !== undefined)
        throw new AppError('USERNAME_TAKEN', clash === username ? nameTaken : nameLooksAlike)
      const account = await transaction
        .insertInto('users')
        .values({ username, password_hash, role: 'user', status })
        .returning(['id', 'username', 'role', 'status'])
        .executeTakeFirstOrThrow()
      // From now on a built-in account of this name follows the new one.
      await notifySessions(transaction, account.id)
      return account
    })
  } catch (error) {
    throw signUpError(error)
  }
}

function signUpError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === '42P01')
    return new AppError('SIGNUP_CLOSED', 'Database not configured. Please contact administrator.', {
      cause: error,
    })
  return error
}
