import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Databases } from '../database/database.ts'

/** People who share a device, remembered at most. */
const mostNames = 8
const nonceBytes = 16
const signatureBytes = 16
const shape = new RegExp(`^[\\w-]{22}(\\.[\\w-]{22}){1,${mostNames}}$`)

/**
 * Tells devices somebody has signed in from. Such a device has a cookie that holds a random number and, for each name it
 * was signed in by, a signature of both: no name can be read from it, and only this installation can make one.
 * The key is in the database, so it is good at every process and after a restart.
 */
export class KnownDevices {
  readonly #databases: Databases
  #key: Buffer | undefined

  constructor(databases: Databases) {
    this.#databases = databases
  }

  /** What to call the device when its cookie was given to it for this name; otherwise undefined. */
  async find(cookie: string | undefined, name: string): Promise<string | undefined> {
    if (cookie === undefined || !shape.test(cookie)) return undefined
    const [nonce = '', ...signatures] = cookie.split('.')
    const key = await this.#readKey().catch(() => undefined)
    if (!key) return undefined
    const right = sign(key, nonce, name)
    const isKnown = signatures.some((given) => timingSafeEqual(Buffer.from(given, 'base64url'), right))
    return isKnown ? nonce : undefined
  }

  /** The device's cookie from now on, since this name has signed in from it. */
  async add(cookie: string | undefined, name: string): Promise<string> {
    const [nonce = '', ...signatures] =
      cookie !== undefined && shape.test(cookie)
        ? cookie.split('.')
        : [randomBytes(nonceBytes).toString('base64url')]
    const own = sign(await this.#readKey(), nonce, name).toString('base64url')
    return [nonce, ...new Set([own, ...signatures])].slice(0, 1 + mostNames).join('.')
  }

  async #readKey(): Promise<Buffer> {
    this.#key ??= (
      await this.#databases.reservedDb
        .selectFrom('secrets')
        .select('value')
        .where('name', '=', 'known_devices')
        .executeTakeFirstOrThrow()
    ).value
    return this.#key
  }
}

function sign(key: Buffer, nonce: string, name: string): Buffer {
  return createHmac('sha256', key).update(`${nonce}\n${name}`).digest().subarray(0, signatureBytes)
}
