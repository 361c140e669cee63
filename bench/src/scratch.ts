import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { migrate } from '../../server/src/platform/database/migrations.ts'
import { startEmbeddedDatabase } from '../../server/src/platform/embedded/embedded-database.ts'
import { superuserUrl } from '../../server/testing/cluster.ts'
import { fillDeals } from './filled-table.ts'

const quiet = pino({ level: 'silent' })

const folders: string[] = []
const stops = new Set<() => Promise<void>>()
let isOver = false

/** Removes every database and folder that is left, for when the measuring ends, whoever has made them; no more are made. */
export async function removeAll(): Promise<void> {
  isOver = true
  await Promise.allSettled([...stops].map((stop) => stop()))
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
}

/** The PostgreSQL to use instead of the embedded one, where there is one. */
export const givenServer = process.env.BENCH_DATABASE_URL

/** What begins after that would stay behind. */
function expectOngoing(): void {
  if (isOver) throw new Error('The measuring is over')
}

/** A database of our own, migrated: the embedded one in a temporary folder. Everything is gone after `stop`. */
export type Scratch = { url: string; rows: number; stop(): Promise<void> }

/** Starts one with nothing in it, not even tables; where BENCH_DATABASE_URL names a PostgreSQL, a database of that. */
export function startEmpty(): Promise<Omit<Scratch, 'rows'>> {
  return givenServer ? makeDatabase(givenServer) : startOwn()
}

/** Starts one with `rows` made deals in it. */
export async function startScratch(rows: number): Promise<Scratch> {
  const { url, stop } = await startEmpty()
  try {
    await migrate(url)
    if (rows > 0) await withClient(url, (client) => fillDeals(client, rows))
    return { url, rows, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startOwn(): Promise<Omit<Scratch, 'rows'>> {
  const folder = await makeFolder()
  const starting = startEmbeddedDatabase({ dataDir: folder, log: quiet })
  const stop = async () => {
    const database = await starting.catch(() => undefined)
    await database?.stop()
    await rm(folder, { recursive: true, force: true })
    stops.delete(stop)
  }
  stops.add(stop)
  try {
    return { url: (await starting).url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A database of a PostgreSQL that runs already; `server` is a role there that may create some. */
async function makeDatabase(server: string): Promise<Omit<Scratch, 'rows'>> {
  expectOngoing()
  const name = `dealdeck_bench_${randomBytes(4).toString('hex')}`
  await withClient(server, (client) =>
    client.query(`create database ${name} template template0 encoding 'UTF8'`),
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  const stop = async () => {
    await withClient(server, (client) => client.query(`drop database if exists ${name} with (force)`))
    stops.delete(stop)
  }
  stops.add(stop)
  return { url: url.href, stop }
}

/**
 * Has written what changes of these databases have left to be written, which would be done beside what is measured next. A given
 * server may be on another machine, and its checkpoints are not for us to ask for: nothing is done then.
 */
export async function writeOut(...urls: string[]): Promise<void> {
  if (givenServer) return
  for (const url of urls) await withClient(superuserUrl(url), (client) => client.query('checkpoint'))
  await promisify(execFile)('sync')
}

/** A temporary folder. Others may enter it: run by root, the database would be stored elsewhere otherwise, and stay there. */
export async function makeFolder(): Promise<string> {
  expectOngoing()
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-bench-'))
  folders.push(folder)
  await chmod(folder, 0o711)
  return folder
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** How much the longer measurements do; less than the defaults tries them out. */
export type Sizes = {
  /** Open event streams. */
  streams: number
  /** Minutes of steady changes. */
  minutes: number
  /** Seconds of each attack of one member on another. */
  seconds: number
  /** Requests in one round of a rate. */
  requests: number
  /** How often two versions are started. */
  starts: number
  /** The checkout that another is compared with. */
  against: string | undefined
  /** The checkout that is compared with it, this one when left out. */
  measured: string | undefined
}

/** What measurements share: the filled databases are made once, by whoever asks first, and removed at the end. */
export class Workshop {
  readonly rows: number
  readonly sizes: Sizes
  readonly #made = new Map<number, Promise<Scratch>>()

  constructor(rows: number, sizes: Sizes) {
    this.rows = rows
    this.sizes = sizes
  }

  /** A database with that many made deals. */
  filled(rows: number): Promise<Scratch> {
    const known = this.#made.get(rows)
    if (known) return known
    console.log(`Making a database of ${rows.toLocaleString('en-US')} deals …`)
    const made = startScratch(rows)
    this.#made.set(rows, made)
    return made
  }
}
