import { setTimeout as delay } from 'node:timers/promises'
import type { Session, UserStatus } from '@dealdeck/contract/session'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Databases } from '../../platform/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Settings } from '../../platform/settings.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { findActiveUser } from './queries.ts'

/** A sign-in is answered no sooner than this, right or wrong, so time tells nothing. In milliseconds. */
const signInFloorMs = 500
const registrationClosed = 'Registration is currently unavailable. Please contact administrator.'
const nameTaken = 'Username already exists. Please choose a different username.'

/** Failed attempts allowed: ten a name, a hundred an address, within five minutes; sign-ups a hundred an address. */
export class SignInThrottle {
  readonly #byName = new RateLimiterMemory({ points: 10, duration: 300 })
  readonly #byAddress = new RateLimiterMemory({ points: 100, duration: 300 })
  readonly #signUps = new RateLimiterMemory({ points: 100, duration: 600 })

  /** Counts an attempt before its password is looked at, so a burst can't slip through. */
  async attempt(username: string, address: string): Promise<void> {
    await take(this.#byAddress, address)
    await take(this.#byName, username)
  }

  /** A right password takes its attempt back, and clears the name. */
  async succeeded(username: string, address: string): Promise<void> {
    await this.#byName.delete(username)
    await this.#byAddress.reward(address, 1)
  }

  async signUp(address: string): Promise<void> {
    await take(this.#signUps, address)
  }
}

async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
  try {
    await limiter.consume(key)
  } catch (refusal) {
    const seconds =
      refusal instanceof RateLimiterRes ? Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) : 60
    const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
    throw new AppError('TOO_MANY_REQUESTS', `Too many attempts. Please try again in ${wait}.`, {
      retryAfter: seconds,
    })
  }
}

// Verifying against it costs what a real account costs, so an unknown name takes as long as a known one.
const nobodysHash = hashPassword('no account has this password')

/**
 * The account of a name and password. Throws INVALID_CREDENTIALS, ACCOUNT_PENDING (right password, waiting for approval)
 * or TOO_MANY_REQUESTS, each no sooner than 500 ms after the call.
 */
export async function checkCredentials(
  databases: Databases,
  throttle: SignInThrottle,
  { username, password, address }: { username: string; password: string; address: string },
): Promise<Session> {
  const floor = delay(signInFloorMs)
  try {
    await throttle.attempt(username, address)
    const user = await findActiveUser(databases.db, username)
    const isRight = await verifyPassword(password, user?.password_hash ?? (await nobodysHash))
    if (!user || !isRight || user.status === 'rejected') {
      throw new AppError('INVALID_CREDENTIALS', 'Invalid username or password. Access denied.')
    }
    await throttle.succeeded(username, address)
    if (user.status === 'pending')
      throw new AppError('ACCOUNT_PENDING', 'Your account is waiting for approval.')
    return { id: user.id, username: user.username, role: user.role, status: user.status }
  } finally {
    await floor
  }
}

/** Creates an account as SIGNUP_MODE says. Throws SIGNUP_CLOSED or USERNAME_TAKEN; of two racing for one name, one wins. */
export async function signUp(
  databases: Databases,
  settings: Settings,
  { username, password }: { username: string; password: string },
): Promise<Session> {
  if (settings.SIGNUP_MODE === 'closed') throw new AppError('SIGNUP_CLOSED', registrationClosed)
  if (await findActiveUser(databases.db, username)) throw new AppError('USERNAME_TAKEN', nameTaken)
  const status: UserStatus = settings.SIGNUP_MODE === 'approval' ? 'pending' : 'approved'
  try {
    return await databases.db
      .insertInto('users')
      .values({ username, password_hash: await hashPassword(password), role: 'user', status })
      .returning(['id', 'username', 'role', 'status'])
      .executeTakeFirstOrThrow()
  } catch (error) {
    throw signUpError(error)
  }
}

function signUpError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === '23505') return new AppError('USERNAME_TAKEN', nameTaken)
  if (code === '42P01')
    return new AppError('SIGNUP_CLOSED', 'Database not configured. Please contact administrator.', {
      cause: error,
    })
  return error
}
