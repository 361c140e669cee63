import { sql } from 'kysely'
import type { Database } from '../../../platform/database/database.ts'
import type { HostTurns } from '../../../platform/outgoing/host-turns.ts'
import { secretPlaces } from '../../../platform/secret-box.ts'
import type { RunContext } from '../kinds/source-kind.ts'
import { keyHash } from './service-budget.ts'

/** Seals texts for a place, with a key that is not in the database; `open` throws for one that was sealed with another. */
export type TokenSeal = {
  seal(text: string, place: string): string | Promise<string>
  open(sealed: string, place: string): string | Promise<string>
}

/** A token is renewed so long before it ends: a request takes its time, too. */
const spareSeconds = 30
/** How long one process waits for another that is asking for a token, in milliseconds. */
const patienceMs = 30_000

/**
 * The tokens that services have lent, shared by all processes on the database: of each key one asks for a new one while the others wait
 * for it, without a connection. Throws whatever `renew` throws, and a HostQuietError where another takes too long.
 */
export function serviceTokens(db: Database, box: TokenSeal, turns: HostTurns): RunContext['token'] {
  return async (key, renew, isRefused) => {
    const hash = keyHash(key)
    const known = await tokenOf(db, box, hash)
    if (known !== null && known !== isRefused) return known
    const release = await turns.take(`token:${hash.toString('hex')}`, { pauseMs: 0, patienceMs })
    try {
      const meanwhile = await tokenOf(db, box, hash)
      if (meanwhile !== null && meanwhile !== isRefused) return meanwhile
      const { token, seconds } = await renew()
      await sql`
        insert into service_tokens (key_hash, token, expires_at)
        values (${hash}, ${await box.seal(token, secretPlaces.serviceToken(hash))}, clock_timestamp() + ${seconds} * interval '1 second')
        on conflict (key_hash) do update set token = excluded.token, expires_at = excluded.expires_at`.execute(
        db,
      )
      return token
    } finally {
      await release()
    }
  }
}

/** Null where there is none that lasts, or none that can be opened: the key of this installation was replaced. */
async function tokenOf(db: Database, box: TokenSeal, hash: Buffer): Promise<string | null> {
  const { rows } = await sql<{ token: string }>`select token from service_tokens where key_hash = ${hash}
    and expires_at > clock_timestamp() + ${spareSeconds} * interval '1 second'`.execute(db)
  const [row] = rows
  if (!row) return null
  try {
    return await box.open(row.token, secretPlaces.serviceToken(hash))
  } catch {
    return null
  }
}
