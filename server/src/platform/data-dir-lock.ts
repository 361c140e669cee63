import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** Who holds a folder: the application, or a command that lasts only for a while. */
export type Holder = { pid: number; kind: 'application' | 'command' }

export type FolderLock = { release(): void }

const sqliteBusy = 5

/** Keeps the handles reachable: one that its holder forgets would be collected, closed, and the folder given back. */
const held = new Set<DatabaseSync>()

/**
 * Takes the folder for this process alone, making it when missing. The operating system gives it back when the process
 * ends, however it ends. Returns null when somebody else has it.
 * Throws one clear line when the folder can't be written or its file system can't lock.
 */
export async function lockFolder(folder: string, kind: Holder['kind']): Promise<FolderLock | null> {
  makeFolder(folder)
  // SQLite's exclusive transaction is the one lock of the operating system that Node reaches without a compiled package.
  const { DatabaseSync } = await importSqlite()
  const file = join(folder, 'lock.db')
  let handle: DatabaseSync | undefined
  try {
    // Only when missing: closing a second handle of a locked file would give up this process's lock on it.
    if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 })
    handle = new DatabaseSync(file, { timeout: 0 })
    handle.exec('pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    handle?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return null
    throw new Error(`The folder ${folder} can't be used: ${reason(error)}`, { cause: error })
  }
  const holder: Holder = { pid: process.pid, kind }
  writeFileSync(join(folder, 'lock.json'), JSON.stringify(holder), { mode: 0o600 })
  const lock = handle
  held.add(lock)
  return {
    release() {
      if (held.delete(lock)) lock.close()
    },
  }
}

/** Who says to hold the folder; null when that isn't known. Only meaningful right after `lockFolder` gave null. */
export function folderHolder(folder: string): Holder | null {
  try {
    const said: unknown = JSON.parse(readFileSync(join(folder, 'lock.json'), 'utf8'))
    if (typeof said !== 'object' || said === null || !('pid' in said) || typeof said.pid !== 'number')
      return null
    return { pid: said.pid, kind: 'kind' in said && said.kind === 'command' ? 'command' : 'application' }
  } catch {
    return null
  }
}

/** The line for the second application on one folder. */
export function folderTaken(folder: string): Error {
  const holder = folderHolder(folder)
  const who = holder?.kind === 'command' ? 'A Dealdeck command' : 'Another Dealdeck'
  const process = holder ? ` (process ${holder.pid})` : ''
  const advice = holder?.kind === 'command' ? 'Wait until it is done' : 'Stop it'
  return new Error(`${who}${process} already uses ${folder}. ${advice}, or set DATA_DIR to another folder.`)
}

export function makeFolder(folder: string): void {
  try {
    makeFolders(folder)
  } catch (error) {
    throw new Error(`The folder ${folder} can't be made: ${reason(error)}`, { cause: error })
  }
}

// Not mkdir's own `recursive`: Node spins forever with it where a file system answers ENOENT, as /proc does.
function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  makeFolders(dirname(folder))
  // As root others may pass through, not look inside: the database server runs as another user there.
  mkdirSync(folder, { mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
}

async function importSqlite(): Promise<typeof import('node:sqlite')> {
  // Some releases of Node 24 warn that this module is experimental; that is no news for whoever starts Dealdeck.
  const warn = process.emitWarning
  process.emitWarning = () => {}
  try {
    return await import('node:sqlite')
  } finally {
    process.emitWarning = warn
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
