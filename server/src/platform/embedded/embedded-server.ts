import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Cluster } from './embedded-cluster.ts'
import {
  endLeftovers,
  findServer,
  lastComplaint,
  limitLog,
  logLength,
  spawnServer,
  stopServer,
} from './embedded-process.ts'

const stopPatienceMs = 3_000
const restartPausesMs = [100, 500, 1_000, 5_000]
const logCheckMs = 60_000

/** How to reach the server as its superuser. */
export type Superuser = { host: string; port: number; user: string; password: string; database: string }

/** One running PostgreSQL: starts it, starts it again on the same port whenever it ends by itself, stops it. */
export class EmbeddedServer {
  readonly #cluster: Cluster
  readonly #superuser: Superuser
  readonly #logFile: string
  readonly #log: Logger
  readonly #stopping = new AbortController()
  #child: ChildProcess | undefined
  #restarting: Promise<void> = Promise.resolve()
  #stopped: Promise<void> | undefined
  #logCheck: NodeJS.Timeout | undefined

  constructor(cluster: Cluster, superuser: Superuser, logFile: string, log: Logger) {
    this.#cluster = cluster
    this.#superuser = superuser
    this.#logFile = logFile
    this.#log = log
  }

  /** Returns when the server answers. Throws the server's own complaint when it ends instead, leaving nothing running. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      this.#watch(await this.#launch(signal))
    } catch (error) {
      await this.stop()
      throw error
    }
    this.#logCheck = setInterval(() => limitLog(this.#logFile), logCheckMs).unref()
  }

  /** Stops the server; about three seconds at the longest. May be called again. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /** Lets the server run on after this process ends. */
  leave(): void {
    this.#stopping.abort()
    clearInterval(this.#logCheck)
    this.#child?.unref()
  }

  async #stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#logCheck)
    await this.#restarting
    const child = this.#child
    if (child?.pid && !hasEnded(child)) await stopServer(child.pid, this.#cluster.folder, stopPatienceMs)
  }

  async #launch(signal: AbortSignal): Promise<ChildProcess> {
    // Clears a stale pid file and what a killed server left; both would keep the new one from starting.
    await findServer(this.#cluster.folder)
    await endLeftovers(this.#cluster.folder)
    limitLog(this.#logFile)
    const logged = logLength(this.#logFile)
    const child = spawnServer(this.#cluster, this.#superuser.port, this.#logFile)
    this.#child = child
    await once(child, 'spawn')
    // Replaying its log after a crash may take long; as long as the server lives, it is waited for.
    while (!(await answers(this.#superuser))) {
      signal.throwIfAborted()
      if (hasEnded(child)) throw await this.#complaint(child, logged)
      await sleep(20)
    }
    return child
  }

  #watch(child: ChildProcess): void {
    const restart = () => {
      if (!this.#stopping.signal.aborted) this.#restarting = this.#restart(child)
    }
    if (hasEnded(child)) restart()
    else child.once('exit', restart)
  }

  async #restart(ended: ChildProcess): Promise<void> {
    this.#log.error(
      { code: ended.exitCode, signal: ended.signalCode },
      'The database server ended; starting it again',
    )
    const { signal } = this.#stopping
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const pause = restartPausesMs[Math.min(attempt, restartPausesMs.length - 1)]
      await sleep(pause, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        this.#watch(await this.#launch(signal))
        this.#log.info('The database server runs again')
        return
      } catch (error) {
        if (!signal.aborted) this.#log.error({ err: error }, 'The database server does not come back yet')
      }
    }
  }

  async #complaint(child: ChildProcess, logged: number): Promise<Error> {
    const words =
      (await lastComplaint(this.#logFile, logged)) ||
      `it ended with code ${child.exitCode ?? child.signalCode}`
    return new Error(`The database server does not start: ${words} (see ${this.#logFile})`)
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function answers(superuser: Superuser): Promise<boolean> {
  const client = new pg.Client({ ...superuser, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    // The server is up and says no: waiting longer would not help.
    if (error instanceof pg.DatabaseError && error.code !== '57P03') throw error
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
