import { randomBytes } from 'node:crypto'
import { foldText } from '@dealdeck/query/folding'
import type { Insertable, Selectable } from 'kysely'
import { hashPassword } from '../src/features/session/passwords.ts'
import { hashToken } from '../src/platform/accounts/sessions.ts'
import type { Databases } from '../src/platform/database/database.ts'
import type { Tables } from '../src/platform/database/tables.ts'

export const testPassword = 'correct horse'

let counter = 0
let hashOfTestPassword: Promise<string> | undefined

/** A number not given before in this test file. */
function next(): number {
  counter += 1
  return counter
}

/** An ASIN not given before in this test file. */
export function nextAsin(): string {
  return `B0${next().toString(36).toUpperCase().padStart(8, '0')}`
}

/** So many of them. */
export const nextAsins = (count: number): string[] => Array.from({ length: count }, nextAsin)

/** An approved, active user whose password is `testPassword`. */
export async function makeUser(
  databases: Databases,
  values: Partial<Omit<Insertable<Tables['users']>, 'password_hash'>> = {},
): Promise<Selectable<Tables['users']>> {
  // Hashing is slow by design: once is enough for all of them.
  hashOfTestPassword ??= hashPassword(testPassword)
  return databases.durableDb
    .insertInto('users')
    .values({ username: `user-${next()}`, ...values, password_hash: await hashOfTestPassword })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * A visible deal, written straight into the table: no revision, no event. Tests of the feed's
 * live side go through the features' own actions instead.
 */
export async function makeDeal(
  databases: Databases,
  values: Partial<Insertable<Tables['deals']>> = {},
): Promise<Selectable<Tables['deals']>> {
  const asin = values.asin ?? nextAsin()
  const title = values.title ?? `Folding lantern ${asin}`
  return databases.durableDb
    .insertInto('deals')
    .values({
      price: 9.99,
      product_url: `https://www.amazon.com/dp/${asin}`,
      availability: 'In stock',
      ...values,
      asin,
      title,
      title_folded: foldText(title),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** An import token as a script would send it: `Authorization: Bearer <token>`. */
export async function makeToken(databases: Databases): Promise<string> {
  const token = `dd_${randomBytes(24).toString('base64url')}`
  await databases.durableDb
    .insertInto('ingest_tokens')
    .values({ name: `script ${next()}`, token_hash: hashToken(token) })
    .execute()
  return token
}
