import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { freePort } from '../src/platform/embedded/embedded-process.ts'
import { temporaryFolder } from './dealdeck-process.ts'

/** The oldest PostgreSQL Dealdeck works with, where Debian has put it. */
export const programs = '/usr/lib/postgresql/15/bin'
/** Whether these servers can be made here; otherwise a test that needs them is skipped. */
export const hasDebianPostgres = existsSync(programs)
export const password = 'not to be shown'
const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** A throw-away PostgreSQL 15, ended with the test: a primary, or the standby of another one. */
export class DebianPostgres {
  readonly port: number
  readonly #folder: string
  readonly #name: string
  #server: ChildProcess | undefined

  private constructor(folder: string, name: string, port: number) {
    this.#folder = folder
    this.#name = name
    this.port = port
  }

  /** One with the encoding UTF-8, the user `owner` and the above password. `settings` are lines of postgresql.conf. */
  static async make(settings: string[] = []): Promise<DebianPostgres> {
    const folder = await temporaryFolder()
    const passwordFile = join(folder, 'password')
    await writeFile(passwordFile, password)
    if (as.uid) await chown(passwordFile, as.uid, as.gid)
    const made = new DebianPostgres(folder, 'one', await freePort())
    await made.#makeFolder()
    run('initdb', ['-D', made.data, '-U', 'owner', '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C.UTF-8'], {
      more: ['-N', `--pwfile=${passwordFile}`],
    })
    const lines = ['fsync = off', 'wal_log_hints = on', "unix_socket_directories = ''", ...settings]
    await appendFile(join(made.data, 'postgresql.conf'), `${lines.join('\n')}\n`)
    return made
  }

  get data(): string {
    return join(this.#folder, this.#name)
  }

  get host(): string {
    return `127.0.0.1:${this.port}`
  }

  get url(): string {
    return urlOf(this.host)
  }

  /** Not waited for unless `isUp` is called. */
  start(): this {
    const settings = ['listen_addresses=127.0.0.1', `cluster_name=${this.#name}`]
    this.#server = spawn(
      join(programs, 'postgres'),
      ['-D', this.data, '-p', String(this.port), ...settings.flatMap((setting) => ['-c', setting])],
      { ...as, cwd: '/', stdio: 'ignore' },
    )
    onTestFinished(() => this.end('SIGQUIT'))
    return this
  }

  /** Ends it; SIGQUIT is a crash. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    server.kill(signal)
    await once(server, 'exit')
  }

  /** Loses its power: all of it is gone at once, and nothing more is sent to anybody. */
  async crash(): Promise<void> {
    const children = this.#children()
    await this.end('SIGKILL')
    for (const pid of children) signalled(pid, 'SIGKILL')
    // Its children hold the memory that the next start wants for itself.
    while (children.some((pid) => signalled(pid, 0))) await sleep(5)
  }

  /** Stands still until it crashes, and closes nothing, as a machine that can't be reached any more. */
  freeze(): void {
    for (const pid of [...this.#children(), Number(this.#server?.pid)]) signalled(pid, 'SIGSTOP')
    onTestFinished(() => this.crash())
  }

  /** Whoever replicates it gets nothing more, and doesn't know, as in a network that swallows packets. */
  async freezeSenders(): Promise<void> {
    const senders = await this.query<{ pid: number }>('select pid from pg_stat_replication')
    for (const { pid } of senders) process.kill(pid, 'SIGSTOP')
  }

  #children(): number[] {
    if (!this.#server) return []
    const { stdout } = spawnSync('pgrep', ['-P', String(this.#server.pid)], { encoding: 'utf8' })
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : Number(line)))
  }

  /** Waits until it answers. */
  async isUp(): Promise<this> {
    for (;;) {
      const answer = await this.query('select').catch(() => undefined)
      if (answer) return this
      await sleep(20)
    }
  }

  /** A running copy that replicates it, known to it by `name`. */
  async standby(name: string): Promise<DebianPostgres> {
    const copy = new DebianPostgres(this.#folder, name, await freePort())
    await copy.copyFrom(this)
    return copy.start().isUp()
  }

  /** Makes its data a new copy of the other one's, which it replicates. */
  async copyFrom(primary: DebianPostgres): Promise<void> {
    await rm(this.data, { recursive: true, force: true })
    await this.#makeFolder()
    run('pg_basebackup', [
      '-D',
      this.data,
      '-R',
      '-c',
      'fast',
      '-d',
      `${primary.url}&application_name=${this.#name}`,
    ])
  }

  /** Has each change wait until one of these standbys has it, or for nobody. */
  async confirmBy(standbys: readonly string[]): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '${standbys.join()}'`)
    await this.query('select pg_reload_conf()')
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(false)')
  }

  async query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.url })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query<T>(sql, values)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  async #makeFolder(): Promise<void> {
    await mkdir(this.data, { mode: 0o700 })
    if (as.uid) await chown(this.data, as.uid, as.gid)
  }
}

/** Whether there was such a process to get the signal. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** The address of a database on these hosts, as DATABASE_URL has it. */
export function urlOf(...hosts: string[]): string {
  return `postgres://owner:${encodeURIComponent(password)}@${hosts.join(',')}/postgres?sslmode=disable`
}

function run(program: string, args: string[], { more = [] }: { more?: string[] } = {}): void {
  const { status, stderr } = spawnSync(join(programs, program), [...args, ...more], {
    ...{ ...as, cwd: '/', encoding: 'utf8' },
    env: { ...process.env, HOME: '/nonexistent' },
  })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}
