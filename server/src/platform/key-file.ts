import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './data-dir-lock.ts'

const keyBytes = 32

/** A key as people write it: 32 bytes as base64 or as hexadecimal digits. Undefined for anything else. */
export function readKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined
  const key = Buffer.from(text, 'base64')
  return key.length === keyBytes ? key : undefined
}

export const makeKey = (): Buffer => randomBytes(keyBytes)

/** Where the keys of an installation lie that was given none. */
export const keyFileOf = (dataDir: string): string => join(dataDir, 'secret.key')

/**
 * The keys in a folder: the first one seals, the others open what was sealed before. None where there is no such file.
 * Throws one clear line when it can't be read, or holds something else.
 */
export async function readKeyFile(dataDir: string): Promise<Buffer[]> {
  const file = keyFileOf(dataDir)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new Error(`The keys in ${file} can't be read (${error.code}).`)
  })
  if (text === null) return []
  const keys = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [readKey(line.trim())]))
  const whole = keys.flatMap((key) => key ?? [])
  if (whole.length === 0 || whole.length < keys.length)
    throw new Error(
      `The file ${file} is damaged: each of its lines is a key, 32 bytes as base64. Put back a copy of it.`,
    )
  return whole
}

/**
 * Makes the file with its first key, readable by its owner only, unless there is one by now: processes that start at once agree.
 * Returns the keys that are there. Throws one clear line when it can't be written.
 */
export async function makeKeyFile(dataDir: string): Promise<Buffer[]> {
  await inFolder(
    dataDir,
    async (written, file) => {
      // Unlike a renaming, this fails where somebody else's is there already; and it is there as a whole, or not at all.
      await link(written, file).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    },
    [makeKey()],
  )
  return readKeyFile(dataDir)
}

/** Replaces the keys, all at once. Throws one clear line when they can't be written, and leaves them as they were. */
export async function writeKeyFile(dataDir: string, keys: readonly Buffer[]): Promise<void> {
  await inFolder(dataDir, rename, keys)
}

/** Puts keys on the disk under a name of their own, and lets `place` give them the right one. */
async function inFolder(
  dataDir: string,
  place: (written: string, file: string) => Promise<void>,
  keys: readonly Buffer[],
): Promise<void> {
  const file = keyFileOf(dataDir)
  const written = `${file}.${randomBytes(6).toString('hex')}.part`
  try {
    makeFolder(dataDir)
    const handle = await open(written, 'wx', 0o600)
    try {
      await handle.writeFile(keys.map((key) => `${key.toString('base64')}\n`).join(''))
      // A command of root's must not take the keys from the application.
      const { uid, gid } = await stat(dataDir)
      if (process.getuid?.() === 0) await handle.chown(uid, gid)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await place(written, file)
    await syncFolder(dataDir)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : ''
    throw new Error(
      `The keys for secrets can't be written to ${file}${code}. Set SECRET_KEY, or DATA_DIR to a folder that lasts and can be written.`,
      { cause: error },
    )
  } finally {
    await rm(written, { force: true }).catch(() => {})
  }
}

/** A name is on the disk when its folder is. Not every system can, or has to, do this. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}
