import type pg from 'pg'
import type { Logger } from 'pino'
import type { Databases } from '../../../platform/database/database.ts'
import { isConnectionError, isReadOnly } from '../../../platform/http/http-errors.ts'
import type { LiveBus } from '../../../platform/live/live-bus.ts'
import { dealsChannel } from '../publisher.ts'
import { type ReadChanges, readChanges } from './changes.ts'

/**
 * Handles the changes that a follower reads. What it writes with `client` commits together with the follower's position, so it is
 * written once, however often the handler is begun; everything else it does may happen again. It has 15 seconds at a time
 * without asking the database. What it returns is called after the commit.
 */
export type Handler = (changes: ReadChanges, client: pg.ClientBase) => Promise<(() => void) | undefined>

type Deps = { databases: Databases; bus: LiveBus; log: Logger }

/** Whoever finds another process at work looks again after this, should that one have been killed; in milliseconds. */
const busyMs = 1_000
/** The same after an error, and longer each time up to the second. */
const [errorMs, longestErrorMs] = [1_000, 30_000]
/** How often it looks without a notification, in milliseconds. */
const lookMs = 30_000

type Step = 'moved' | 'done' | 'busy'
type Move = { afterwards: (() => void) | undefined; isLast: boolean }

/**
 * Gives a handler all changes of deals, in order and without a gap, from its last position on, as the follower of that name. The
 * first time it begins at the present. In whatever process of an installation it is called, one at a time handles them.
 * Call it before the bus starts, or `begin` afterwards, and end it with `stop`.
 *
 * What a handler gets may not be on the disk yet: chunks of an import are not waited for. Its own commit is, and the
 * log of the database is written in order: once that commit is confirmed, what it got is as safe. So whoever
 * announces something outside writes it into a table with `client`, and sends it from there after the commit, never from
 * within the handler; the function the handler returns may wake whoever sends.
 *
 * With `lingerMs` it begins so long after it was told: several changes become one transaction, and readers hear of them first.
 */
export function follow(deps: Deps, name: string, handler: Handler, lingerMs = 0): Follower {
  return new Follower(deps, name, handler, lingerMs)
}

export class Follower {
  readonly name: string
  readonly #databases: Databases
  readonly #log: Logger
  readonly #handler: Handler
  readonly #lingerMs: number
  readonly #wake = () => this.#beginLater()
  readonly #looking = setInterval(this.#wake, lookMs).unref()
  #hasBegun = false
  #isRegistered = false
  #isWanted = false
  #isStopped = false
  #running: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #linger: NodeJS.Timeout | undefined
  #failures = 0
  #hasComplained = false

  constructor({ databases, bus, log }: Deps, name: string, handler: Handler, lingerMs: number) {
    this.name = name
    this.#databases = databases
    this.#log = log
    this.#handler = handler
    this.#lingerMs = lingerMs
    databases.onRevision.add(this.#wake)
    bus.on(dealsChannel, this.#wake)
    bus.onConnect(this.#wake)
  }

  /**
   * For who begins to follow after the bus has started: what happens once this is resolved is told. Never throws; while the database is
   * away it goes on trying by itself.
   */
  async begin(): Promise<void> {
    await this.#register().catch(() => undefined)
    this.#begin()
  }

  /** Ends it; what is under way is finished first. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#looking)
    clearTimeout(this.#retry)
    clearTimeout(this.#linger)
    this.#databases.onRevision.delete(this.#wake)
    await this.#running
  }

  #beginLater(): void {
    if (this.#lingerMs === 0) this.#begin()
    else
      this.#linger ??= setTimeout(() => {
        this.#linger = undefined
        this.#begin()
      }, this.#lingerMs).unref()
  }

  #begin(): void {
    this.#isWanted = true
    // Whoever waits to try again isn't hurried by the next change.
    if (this.#isStopped || this.#retry) return
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  async #run(): Promise<void> {
    try {
      await this.#register()
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false
        const step = await this.#step()
        if (step === 'moved') this.#isWanted = true
        if (step !== 'busy') continue
        // Or the row is gone, as after a failover that lost its insertion.
        this.#isRegistered = false
        this.#tryAgain(busyMs)
        break
      }
      this.#failures = 0
      this.#hasComplained = false
    } catch (err) {
      this.#failures += 1
      this.#complain(err)
      this.#tryAgain(Math.min(longestErrorMs, errorMs * 2 ** (this.#failures - 1)))
    }
  }

  /** One line for each trouble. That the database is away, or can't be changed, is written down elsewhere. */
  #complain(err: unknown): void {
    if (this.#hasComplained || this.#databases.watch.state !== 'there') return
    if (isConnectionError(err) || isReadOnly(err)) return
    this.#hasComplained = true
    this.#log.warn({ err, follower: this.name }, 'A follower failed, trying again')
  }

  #tryAgain(ms: number): void {
    if (this.#isStopped) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#begin()
    }, ms).unref()
  }

  async #register(): Promise<void> {
    if (this.#isRegistered) return
    // No revision follows on -1, so whoever has lost their position is told that they missed some.
    await this.#databases.durablePool.query(
      `insert into followers (name, position) select $1, case when $2 then -1 else revision end from feed_state
       on conflict do nothing`,
      [this.name, this.#hasBegun],
    )
    this.#hasBegun = true
    this.#isRegistered = true
  }

  /** One transaction: the next changes, and the position behind them. */
  async #step(): Promise<Step> {
    const client = await this.#databases.durablePool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      const step = await this.#stepIn(client)
      // Where nothing was to be done, nothing needs to wait for the disk.
      await client.query(typeof step === 'string' ? 'rollback' : 'commit')
      if (typeof step === 'string') return step
      step.afterwards?.()
      // What came meanwhile was told.
      return step.isLast ? 'done' : 'moved'
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
      throw error
    } finally {
      client.release(broken)
    }
  }

  async #stepIn(client: pg.ClientBase): Promise<'done' | 'busy' | Move> {
    // A lock on the row, not a note in it: it ends with the process that has it. The commit must be on the disk, and with it
    // everything it read, whatever the server's default is.
    const { rows } = await client.query<{ position: number; is_old: boolean }>(
      `select position, moved_at < now() - interval '1 hour' as is_old,
         case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', true) end
       from followers where name = $1 for update skip locked`,
      [this.name],
    )
    if (!rows[0]) return 'busy'
    const changes = await readChanges(client, rows[0].position)
    if (!changes) {
      if (!rows[0].is_old) return 'done'
      // Whoever isn't there for days is ended; that nothing changes is another matter.
      await client.query('update followers set moved_at = now() where name = $1', [this.name])
      return { afterwards: undefined, isLast: true }
    }
    const afterwards = await this.#handler(changes, client)
    await client.query('update followers set position = $2, moved_at = now() where name = $1', [
      this.name,
      changes.through,
    ])
    return { afterwards: afterwards ?? undefined, isLast: changes.through === changes.current }
  }
}
