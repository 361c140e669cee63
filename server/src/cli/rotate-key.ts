import { Command } from 'commander'
import { sql, type Transaction } from 'kysely'
import { changePatienceMs, isLockTimeout, tablesInUse } from '../platform/database/advisory-locks.ts'
import type { Tables } from '../platform/database/tables.ts'
import { keyFileOf, makeKey, readKeyFile, writeKeyFile } from '../platform/key-file.ts'
import {
  isSealedWith,
  openWith,
  SecretBox,
  SecretError,
  sealWith,
  secretPlaces,
} from '../platform/secret-box.ts'
import { type CommandContext, withDatabases } from './database.ts'

type Rotation = {
  /** Texts that were sealed anew. */
  sealed: number
  /** Texts that the key has sealed already. */
  kept: number
  /** Lent tokens that nobody could open; services lend others. */
  forgotten: number
}

/** `rotate-key`: all secrets sealed with another key. */
export function rotateKeyCommand(): Command {
  return new Command('rotate-key')
    .description('seal all secrets anew: with a new key in DATA_DIR or, where it is set, with SECRET_KEY')
    .action(async () => {
      await withDatabases(async (context) => {
        const { DATA_DIR, SECRET_KEY } = context.settings
        const { sealed, kept, forgotten } = await rotateKey(context)
        if (forgotten > 0)
          console.log(`Removed ${forgotten} lent tokens whose key is lost; there will be others.`)
        if (sealed + kept === 0) console.log('There are no secrets yet, so nothing was changed.')
        else if (SECRET_KEY === '')
          console.log(
            `Sealed ${sealed} secrets with a new key, the first line of ${keyFileOf(DATA_DIR)}. The old ones stay below it: backups made until now need them.`,
          )
        else if (sealed > 0)
          console.log(`Sealed ${sealed} secrets with SECRET_KEY. Backups made until now need the old one.`)
        else
          console.log(
            'SECRET_KEY has sealed all secrets already. For another key, set SECRET_KEY to it and SECRET_KEY_OLD to this one.',
          )
      })
    })
}

/**
 * Seals everything anew in one transaction. A new key is in DATA_DIR before anything is sealed with it, and old keys stay there, so
 * however this ends, each text has its key. Throws one clear line, with all texts as they were, when one can't be opened or the
 * tables are in use.
 */
async function rotateKey(context: Pick<CommandContext, 'databases' | 'settings'>): Promise<Rotation> {
  const { durableDb, durablePool } = context.databases
  try {
    return await durableDb.transaction().execute((transaction) => sealAll(transaction, context.settings))
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    throw await tablesInUse((statement) => durablePool.query(statement), error)
  }
}

async function sealAll(
  transaction: Transaction<Tables>,
  settings: CommandContext['settings'],
): Promise<Rotation> {
  // Nothing is sealed beside this, and of two commands the second waits, before either reads or writes keys.
  await sql.raw(`set local lock_timeout = ${changePatienceMs}`).execute(transaction)
  await sql`lock table sources, destinations, service_tokens in share row exclusive mode`.execute(transaction)
  const sources = await transaction
    .selectFrom('sources')
    .select(['id', 'name', 'secrets'])
    .where('secrets', 'is not', null)
    .execute()
  const destinations = await transaction
    .selectFrom('destinations')
    .select(['id', 'name', 'secrets', 'code'])
    .where(({ eb, or }) => or([eb('secrets', 'is not', null), eb('code', 'is not', null)]))
    .execute()
  const tokens = await transaction.selectFrom('service_tokens').select(['key_hash', 'token']).execute()
  const counts: Rotation = { sealed: 0, kept: 0, forgotten: 0 }
  if (sources.length + destinations.length + tokens.length === 0) return counts

  const keys = await new SecretBox(settings).keys()
  const key = settings.SECRET_KEY === '' ? await addKey(settings.DATA_DIR) : keys[0]
  if (!key) throw new Error('There is no key to seal secrets with.')
  const anew = (sealed: string, place: string): string | null => {
    if (isSealedWith(key, sealed)) {
      counts.kept += 1
      return null
    }
    const text = openWith(keys, sealed, place)
    counts.sealed += 1
    return sealWith(key, text, place)
  }
  for (const { id, name, secrets } of sources) {
    const sealed = naming(`source "${name}"`, () => anew(secrets ?? '', secretPlaces.source(id)))
    if (sealed !== null)
      await transaction.updateTable('sources').set({ secrets: sealed }).where('id', '=', id).execute()
  }
  for (const { id, name, secrets, code } of destinations) {
    const sealed = naming(`destination "${name}"`, () => ({
      secrets: secrets === null ? null : anew(secrets, secretPlaces.destination(id)),
      code: code === null ? null : anew(code, secretPlaces.destinationCode(id)),
    }))
    const changed = Object.entries(sealed).filter(([, text]) => text !== null)
    if (changed.length > 0)
      await transaction
        .updateTable('destinations')
        .set(Object.fromEntries(changed))
        .where('id', '=', id)
        .execute()
  }
  for (const { key_hash, token } of tokens) {
    const of = transaction.updateTable('service_tokens').where('key_hash', '=', key_hash)
    try {
      const sealed = anew(token, secretPlaces.serviceToken(key_hash))
      if (sealed !== null) await of.set({ token: sealed }).execute()
    } catch (error) {
      if (!(error instanceof SecretError)) throw error
      await transaction.deleteFrom('service_tokens').where('key_hash', '=', key_hash).execute()
      counts.forgotten += 1
    }
  }
  return counts
}

/** Puts a new key before those that are there. */
async function addKey(dataDir: string): Promise<Buffer> {
  const key = makeKey()
  await writeKeyFile(dataDir, [key, ...(await readKeyFile(dataDir))])
  return key
}

function naming<T>(whose: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SecretError)) throw error
    throw new Error(`Nothing was changed. The ${whose}: ${error.message}`, { cause: error })
  }
}
