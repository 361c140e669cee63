import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp } from './app.ts'
import { loadSampleDeals } from './features/deals/writing/samples.ts'
import { insertDefaultFilters } from './features/filters/actions.ts'
import {
  announceAccounts,
  ensureAdministrator,
  firstAccounts,
  hasAccounts,
  makeFirstAccounts,
  noAdministrator,
  readAccountsFile,
} from './features/session/accounts.ts'
import { systemClock } from './platform/clock.ts'
import { withCommitLimit } from './platform/database/commit-limit.ts'
import { type Databases, openDatabases } from './platform/database/database.ts'
import { DatabaseHosts } from './platform/database/database-hosts.ts'
import { awaitExternalDatabase } from './platform/database/external-database.ts'
import { migrate } from './platform/database/migrations.ts'
import { startEmbeddedDatabase } from './platform/embedded/embedded-database.ts'
import { finishMs } from './platform/http/shutdown.ts'
import { createLog } from './platform/observing/log.ts'
import { logSlowStatements } from './platform/observing/slow-statements.ts'
import { SecretBox } from './platform/secret-box.ts'
import { readSettings, type Settings } from './platform/settings.ts'
import { buildWeb } from './platform/web/web-build.ts'

/** How long each part may take to close before the next one's turn, in milliseconds; the database server has its own. */
const closePatienceMs = 1_000

type Options = {
  environment: Record<string, string | undefined>
  /** False leaves the web app as it is: the developers' server builds it. */
  withWeb: boolean
  /** Says a line to whoever started the application. */
  say(line: string): void
  /** Whether that is read at a terminal; otherwise it may be collected and stored, and must hold no password. */
  isTerminal: boolean
}

/** The application as one thing that starts once and stops once, also in the middle of starting. */
export class Dealdeck {
  readonly log: Logger
  readonly #settings: Settings
  readonly #options: Options
  readonly #ending = new AbortController()
  readonly #closers: (() => Promise<unknown>)[] = []
  #starting: Promise<void> = Promise.resolve()
  #listens = false
  #stopped: Promise<void> | undefined

  /** Throws one clear line when a setting is wrong. */
  constructor(options: Options) {
    this.#options = options
    this.#settings = readSettings(options.environment)
    this.log = createLog(this.#settings.LOG_LEVEL)
  }

  /**
   * Starts everything and says the address. Throws one clear line when it can't, leaving nothing running; returns quietly
   * when it was stopped meanwhile.
   */
  async start(): Promise<void> {
    this.#starting = this.#start()
    try {
      await this.#starting
    } catch (error) {
      const wasWanted = !this.#ending.signal.aborted
      await this.stop()
      if (wasWanted) throw error
    }
  }

  /** How long it stays open after it was asked to end, for balancers to notice, in milliseconds. */
  get drainMs(): number {
    return this.#settings.DRAIN_SECONDS * 1000
  }

  /**
   * Ends everything within five seconds, whatever state it is in. May be called again and again. With `drains`, it
   * answers everybody for another `drainMs` before that, and says at /readyz that it is about to end.
   */
  stop({ drains = false } = {}): Promise<void> {
    this.#stopped ??= this.#stop(drains)
    return this.#stopped
  }

  async #start(): Promise<void> {
    const { signal } = this.#ending
    const settings = this.#settings
    await checkPort(settings)
    const builtInAccounts = await readBuiltInAccounts(settings)
    // The web app is built while the database starts; whichever fails, the other is not waited for.
    const web = this.#options.withWeb ? buildWeb(this.#options.say, signal) : Promise.resolve(false)
    web.catch(() => {})
    const databases = await this.#openDatabases()
    await web
    signal.throwIfAborted()
    const missing = await noAdministrator(databases, settings.SIGNUP_MODE)
    const app = await buildApp({
      ...{ settings, databases, builtInAccounts, clock: systemClock, log: this.log, ending: signal },
      secretBox: new SecretBox(settings),
    })
    await this.#keep(() => app.close(), finishMs + closePatienceMs)
    await listen(app, settings)
    this.#listens = true
    this.#options.say(`Dealdeck is ready: ${addressOf(app, settings)}`)
    if (settings.PUBLIC_URL !== '') this.#options.say(proxyLine(settings))
    if (missing) this.#options.say(missing)
  }

  async #openDatabases(): Promise<Databases> {
    const { DATABASE_URL, DATA_DIR } = this.#settings
    const isEmbedded = DATABASE_URL === ''
    const hosts = new DatabaseHosts(isEmbedded ? await this.#startEmbedded(DATA_DIR) : DATABASE_URL)
    if (isEmbedded) return this.#fillDatabase(hosts)
    await awaitExternalDatabase(hosts, this.#ending.signal)
    return withCommitLimit(hosts.url, () => this.#fillDatabase(hosts))
  }

  /** Brings the database up to date, with what is there from the start. */
  async #fillDatabase(hosts: DatabaseHosts): Promise<Databases> {
    const { DATABASE_CONNECTIONS, ADMIN_USERNAME, ADMIN_PASSWORD, MARKETPLACE, SAMPLE_DEALS } = this.#settings
    const isEmbedded = this.#settings.DATABASE_URL === ''
    await migrate(hosts.url, { say: this.#options.say, signal: this.#ending.signal })
    // An outage takes all of them: the live bus says so once.
    const onError = (err: Error) => this.log.debug({ err }, 'A database connection was lost')
    // The embedded one allows what the default needs.
    const databases = openDatabases(hosts, onError, isEmbedded ? undefined : DATABASE_CONNECTIONS)
    await this.#keep(() => databases.close())
    logSlowStatements(databases, this.#settings.SLOW_STATEMENT_MS, this.log)
    await insertDefaultFilters(databases, MARKETPLACE.domain)
    if (isEmbedded && !(await hasAccounts(databases))) {
      // Accounts mark the first start as done, so they come last.
      if (SAMPLE_DEALS === 'on') await loadSampleDeals(databases, this.#settings, systemClock)
      await this.#makeFirstAccounts(databases)
    }
    if (ADMIN_USERNAME !== '') await ensureAdministrator(databases, ADMIN_USERNAME, ADMIN_PASSWORD)
    return databases
  }

  async #startEmbedded(dataDir: string): Promise<string> {
    const database = await startEmbeddedDatabase({ dataDir, log: this.log, signal: this.#ending.signal })
    await this.#keep(() => database.stop(), null)
    return database.url
  }

  async #makeFirstAccounts(databases: Databases): Promise<void> {
    const { DATA_DIR, ADMIN_USERNAME } = this.#settings
    const file = join(DATA_DIR, 'first-accounts.txt')
    const accounts = await makeFirstAccounts(databases, file, ADMIN_USERNAME)
    this.#options.say(announceAccounts(accounts, file, this.#options.isTerminal))
  }

  /** Remembers how to close what has just been opened; closes it at once when the end was asked for meanwhile. */
  async #keep(close: () => Promise<unknown>, patienceMs: number | null = closePatienceMs): Promise<void> {
    const limited = () => Promise.race([close(), sleep(patienceMs ?? undefined)])
    this.#closers.push(patienceMs === null ? close : limited)
    if (!this.#ending.signal.aborted) return
    await this.#closeAll()
    this.#ending.signal.throwIfAborted()
  }

  async #stop(drains: boolean): Promise<void> {
    this.#ending.abort(new Error('Dealdeck was stopped while it was starting.'))
    if (drains && this.#listens) await sleep(this.drainMs)
    // Closing first breaks off whatever a start in progress is waiting for.
    await this.#closeAll()
    await this.#starting.catch(() => {})
    await this.#closeAll()
    this.log.flush()
  }

  async #closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      await close().catch((error: unknown) => this.log.error({ err: error }, 'Closing failed'))
    }
  }
}

async function readBuiltInAccounts({ BUILT_IN_ACCOUNTS, DATABASE_URL }: Settings) {
  if (BUILT_IN_ACCOUNTS !== '') return readAccountsFile(BUILT_IN_ACCOUNTS)
  return DATABASE_URL === '' ? firstAccounts : []
}

/** Fails before anything is made or started, not after. */
async function checkPort({ HOST, PORT }: Settings): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen(PORT, HOST, resolve)
    })
  } catch (error) {
    throw listenError(error, HOST, PORT)
  } finally {
    await new Promise((resolve) => probe.close(resolve))
  }
}

async function listen(app: FastifyInstance, { HOST, PORT }: Settings): Promise<void> {
  try {
    await app.listen({ host: HOST, port: PORT, listenTextResolver: () => 'Accepting connections' })
  } catch (error) {
    throw listenError(error, HOST, PORT)
  }
}

function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const options = { cause: error }
  if (code === 'EADDRINUSE') {
    const other = port < 65_535 ? port + 1 : port - 1
    return new Error(
      `Port ${port} on ${host} is already in use. Stop the other program, or choose another port: PORT=${other} npm start`,
      options,
    )
  }
  if (code === 'EACCES') {
    return new Error(
      `Port ${port} needs more rights than this user has. Set PORT to 1024 or higher.`,
      options,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new Error(`Setting HOST ${host} is not an address of this machine.`, options)
  }
  return error
}

/** Whether it does can't be known before the first request; then the log warns if it doesn't. */
function proxyLine({ TRUSTED_PROXIES }: Settings): string {
  return `Its proxy (${TRUSTED_PROXIES.join(', ')}) must set X-Forwarded-For, or all users share the limits of one address.`
}

function addressOf(app: FastifyInstance, { HOST, PORT, PUBLIC_URL }: Settings): string {
  if (PUBLIC_URL !== '') return PUBLIC_URL
  const bound = app.server.address()
  const port = typeof bound === 'object' && bound ? bound.port : PORT
  const everywhere = HOST === '0.0.0.0' || HOST === '::'
  const host = everywhere ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  return `http://${host}:${port}`
}
