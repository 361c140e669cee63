import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import {
  type DealdeckProcess,
  serversOn,
  startDealdeck,
  temporaryFolder,
} from '../../server/testing/dealdeck-process.ts'
import { type Account, Client } from './client.ts'
import { ask } from './own-database.ts'

export const boss: Account = { username: 'boss', password: 'correct horse' }

/** The real application in a folder of its own, with its own PostgreSQL; everything goes with the test. */
export class Installation {
  readonly dataDir: string
  readonly settings: Record<string, string>
  process: DealdeckProcess | undefined
  origin = ''

  constructor(dataDir: string, settings: Record<string, string> = {}) {
    this.dataDir = dataDir
    this.settings = settings
  }

  /** One in a new temporary folder, not started yet. */
  static async make(settings: Record<string, string> = {}): Promise<Installation> {
    return new Installation(join(await temporaryFolder(), 'data'), settings)
  }

  /** What commands on this installation need in their environment. */
  get environment(): Record<string, string> {
    return { DATA_DIR: this.dataDir, ...this.settings }
  }

  /** Starts it, as a user would after whatever happened before, and waits until it answers. */
  async start(): Promise<void> {
    const dealdeck = startDealdeck({
      ...this.environment,
      ADMIN_USERNAME: boss.username,
      ADMIN_PASSWORD: boss.password,
      LOG_LEVEL: 'warn',
    })
    this.process = dealdeck
    this.origin = await dealdeck.address()
  }

  /** Ends it: as Ctrl-C does, or with the given signal. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals | null | undefined> {
    this.process?.kill(signal)
    return this.process?.ended()
  }

  /** The administrator, signed in. */
  administrator(): Promise<Client> {
    return new Client(this.origin).signIn(boss)
  }

  /** Process ids of its database servers. */
  servers(): number[] {
    return serversOn(this.dataDir)
  }

  /** Asks the database directly, beside the application. */
  async query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> {
    return ask<T>(await this.databaseUrl(), sql, values)
  }

  /** The address of its database, once it was started. */
  async databaseUrl(): Promise<string> {
    const { port, password } = JSON.parse(await readFile(join(this.dataDir, 'database.json'), 'utf8'))
    return `postgres://dealdeck:${password}@127.0.0.1:${port}/dealdeck`
  }

  /** Waits until the application reaches its database again. Throws when that takes longer than `patienceMs`. */
  async isReady(patienceMs = 30_000): Promise<void> {
    const end = performance.now() + patienceMs
    for (;;) {
      const response = await fetch(`${this.origin}/readyz`).catch(() => null)
      await response?.arrayBuffer()
      if (response?.status === 200) return
      if (performance.now() > end) throw new Error(`Not ready after ${patienceMs} ms`)
      await sleep(50)
    }
  }
}
