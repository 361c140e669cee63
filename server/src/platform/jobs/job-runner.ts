import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Databases } from '../database/database.ts'
import { aloneWithTables } from '../database/migrations.ts'
import { toError } from '../errors.ts'
import { isConnectionError, isReadOnly } from '../http/http-errors.ts'
import type { JobKind } from './job-kinds.ts'
import { ensureQueue, queueSchema, queueVersion, readQueueVersion } from './queue-schema.ts'
import { oneByOne } from './queue-statements.ts'

/** Between two looks at what is to be done and at the queue, in milliseconds. */
const beatMs = 10_000
/** A job whose process is silent for so long is another's; with a beat it is taken over within 20 seconds. */
const leaseSeconds = 10
/** How long jobs under way may go on at the end, in milliseconds; then they are given back to the queue. */
const finishMs = 1_000
/** Statements at the end may wait for the database; nobody waits for them longer than this, in milliseconds. */
const endMs = 2_000
const hourSeconds = 3_600
/** The code of pg-boss's error for a kind that its tables don't have. */
const queueNotFound = 'PGBOSS_QUEUE_NOT_FOUND'
/** What is done is kept for so long, for whoever looks into the queue. */
const keptSeconds = hourSeconds

/** What became of the jobs of one kind in this process. */
export type JobFigures = {
  running: number
  done: number
  failed: number
  /** Time spent on them altogether. */
  seconds: number
  /** How many were to be done at the last look. */
  due: number
  /** When one was last done here, in milliseconds since 1970; 0 before the first. */
  lastDone: number
}

/** What was last written to the log about something that fails. */
type Trouble = { complaint?: string | undefined }
/** A kind at work, its workers by their ids. */
type Working = {
  kind: JobKind
  figures: JobFigures
  workers: string[]
  nextLook: number
  looking: Trouble
  running: Trouble
}

/**
 * Does the work in the background of one process. At each beat it asks the kinds what is to be done by our own tables and
 * puts that into the queue, from which any process takes it. The queue only spreads the work and knows who is at it: lost
 * or empty, it is filled again at the next look. While the database is away or can't be changed, nothing happens.
 */
export class JobRunner {
  readonly #databases: Databases
  readonly #log: Logger
  readonly #kinds: Map<string, Working>
  readonly #queue: Trouble = {}
  readonly #beat = () => void this.look()
  #boss: PgBoss | undefined
  #isEnding = false
  /** Somebody has emptied its list of kinds: it is to be made anew. */
  #isQueueLost = false
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<void> | undefined
  #nextUpkeep = 0
  #stopped: Promise<void> | undefined

  constructor(databases: Databases, kinds: readonly JobKind[], log: Logger) {
    this.#databases = databases
    this.#log = log
    this.#kinds = new Map(kinds.map((kind) => [kind.name, atWork(kind)]))
    if (this.#kinds.size < kinds.length) throw new Error('Two kinds of jobs have one name')
  }

  /** By kind. */
  get figures(): [kind: string, figures: JobFigures][] {
    return [...this.#kinds].map(([name, { figures }]) => [name, figures])
  }

  /** Begins in the background. Never throws. */
  start(): void {
    this.#databases.watch.onChange.add(this.#beat)
    this.#timer = setInterval(this.#beat, beatMs)
    void this.look()
  }

  /** Gives back to the queue what isn't done within a second, for another process. Never throws. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#isEnding = true
    clearInterval(this.#timer)
    this.#databases.watch.onChange.delete(this.#beat)
    const ended = async () => {
      await this.#beating
      await this.#boss?.stop({ close: false, timeout: finishMs })
    }
    const late = new AbortController()
    await Promise.race([ended().catch(() => {}), sleep(endMs, undefined, late)])
    late.abort()
  }

  /** One beat, as there is one every few seconds; the one under way, if there is. Never throws. */
  async look(): Promise<void> {
    if (this.#isEnding || this.#databases.watch.state !== 'there') return
    this.#beating ??= this.#lookAround().finally(() => {
      this.#beating = undefined
    })
    await this.#beating
  }

  /** Looks at one kind without waiting for a beat, for who has made something due. Never throws. */
  async wake(name: string): Promise<void> {
    const [boss, working] = [this.#boss, this.#kinds.get(name)]
    if (!boss || !working || this.#isEnding) return
    await this.#trying(working.looking, () => this.#look(boss, working), name)
    for (const id of working.workers) boss.notifyWorker(id)
  }

  async #lookAround(): Promise<void> {
    await this.#trying(this.#queue, async () => {
      const boss = await this.#open()
      for (const working of this.#kinds.values())
        await this.#trying(working.looking, () => this.#look(boss, working), working.kind.name)
      await this.#takeOver(boss)
      if (this.#isQueueLost) await this.#close()
    })
  }

  /** Connects to the queue, once for as long as it is of this version; after a failure the next beat tries again. */
  async #open(): Promise<PgBoss> {
    const version = (await readQueueVersion(this.#databases.reservedPool)) ?? (await this.#makeQueue())
    if (version === queueVersion && this.#boss) return this.#boss
    // A newer build has made the tables anew, and nothing of this one's may be written into them; or they are gone.
    await this.#close()
    if (version !== queueVersion)
      throw new Error(
        `The queue is that of another version (${version} instead of ${queueVersion}). Its processes do the work in the background; where there are none, start this one again`,
      )
    const boss = await this.#makeBoss()
    try {
      await boss.start()
      for (const working of this.#kinds.values()) await this.#employ(boss, working)
    } catch (error) {
      await boss.stop({ close: false, graceful: false })
      throw error
    }
    this.#boss = boss
    return boss
  }

  /** Its tables are gone: somebody has dropped them, since every start makes them. Returns their version. */
  async #makeQueue(): Promise<number> {
    await this.#close()
    const client = await this.#databases.durablePool.connect()
    try {
      await aloneWithTables(client, undefined, () => ensureQueue(client))
    } finally {
      client.release()
    }
    return queueVersion
  }

  async #close(): Promise<void> {
    this.#isQueueLost = false
    await this.#boss?.stop({ close: false, graceful: false })
    this.#boss = undefined
  }

  async #makeBoss(): Promise<PgBoss> {
    const { PgBoss: Boss } = await import('pg-boss')
    const never = 24 * hourSeconds
    const boss = new Boss({
      db: { executeSql: oneByOne(this.#databases) },
      schema: queueSchema,
      // The tables are made at the start, and what is due follows from ours.
      ...{ migrate: false, schedule: false, registerInstance: false },
      // Looked after at a beat, when there is something to look after.
      ...{ supervise: false, monitorIntervalSeconds: 1, maintenanceIntervalSeconds: hourSeconds },
      ...{ queueCacheIntervalSeconds: never, reindex: false, monitorVacuum: false },
    })
    boss.on('error', (error) => this.#complain(this.#queue, toError(error)))
    return boss
  }

  async #employ(boss: PgBoss, working: Working): Promise<void> {
    const { name, limits } = working.kind
    const options = {
      ...{ retryLimit: limits.retries, expireInSeconds: limits.timeLimitSeconds },
      ...{ heartbeatSeconds: leaseSeconds, deleteAfterSeconds: keptSeconds },
    }
    await boss.createQueue(name, { ...options, policy: 'exclusive' })
    await boss.updateQueue(name, options)
    working.workers = []
    for (let at = 0; at < limits.concurrency; at++) {
      let id = ''
      // It fetches when notified: a beat knows of all kinds by one question.
      const when = {
        pollingIntervalSeconds: 24 * hourSeconds,
        notifyPollingIntervalSeconds: 24 * hourSeconds,
      }
      id = await boss.work<object>(name, when, async ([job]) => {
        if (!job) return
        await this.#run(working, job.data, job.signal)
        // There may be more. What failed waits for the next beat.
        boss.notifyWorker(id)
      })
      working.workers.push(id)
    }
  }

  async #run(working: Working, payload: unknown, signal: AbortSignal): Promise<void> {
    const { kind, figures } = working
    const started = performance.now()
    let hasFailed = false
    const fail = (error: unknown) => {
      if (hasFailed) return
      hasFailed = true
      figures.failed += 1
      this.#complain(working.running, error, kind.name)
    }
    // It may go on for as long as it likes after that, or for ever.
    const onAbort = () => fail(new Error('A job did not end in time, or was taken over by another process'))
    signal.addEventListener('abort', onAbort)
    figures.running += 1
    try {
      await kind.run(payload, signal)
      // It ended because it had to; whatever is left is for the next one.
      signal.throwIfAborted()
      figures.done += 1
      figures.lastDone = Date.now()
      delete working.running.complaint
    } catch (error) {
      fail(error)
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      figures.running -= 1
      figures.seconds += (performance.now() - started) / 1000
    }
  }

  /** Queues what our tables say is to be done, each payload once, whoever else finds it too. */
  async #look(boss: PgBoss, working: Working): Promise<void> {
    const { kind, figures } = working
    if (performance.now() < working.nextLook) return
    const due = await kind.due()
    figures.due = due.length
    for (const payload of due) await boss.send(kind.name, payload, { singletonKey: JSON.stringify(payload) })
    working.nextLook = performance.now() + kind.lookEverySeconds * 1000
  }

  /** Frees what silent processes had taken, and has the kinds fetched of which something waits. */
  async #takeOver(boss: PgBoss): Promise<void> {
    const { rows } = await this.#databases.reservedPool.query<{ name: string; is_active: boolean }>(
      `select name, bool_or(state = 'active') as is_active from ${queueSchema}.job
       where state in ('created', 'retry', 'active') group by name`,
    )
    const now = performance.now()
    if (rows.some(({ is_active }) => is_active) || now > this.#nextUpkeep) {
      await boss.supervise()
      this.#nextUpkeep = now + hourSeconds * 1000
    }
    for (const { name } of rows) for (const id of this.#kinds.get(name)?.workers ?? []) boss.notifyWorker(id)
  }

  async #trying(about: Trouble, work: () => Promise<void>, kind?: string) {
    try {
      await work()
      if (about.complaint !== undefined) {
        delete about.complaint
        this.#log.info({ kind }, 'Work in the background goes on')
      }
    } catch (error) {
      if (Object(error).code === queueNotFound) this.#isQueueLost = true
      this.#complain(about, error, kind)
    }
  }

  /** One line for each trouble, however long it lasts. That the database is away is written down elsewhere. */
  #complain(about: Trouble, error: unknown, kind?: string): void {
    if (this.#isEnding || this.#databases.watch.state !== 'there') return
    if (isConnectionError(error) || isReadOnly(error)) return
    const message = error instanceof Error ? error.message : String(error)
    if (about.complaint === message) return
    about.complaint = message
    this.#log.warn(kind === undefined ? { err: error } : { err: error, kind }, 'Work in the background fails')
  }
}

function atWork(kind: JobKind): Working {
  const figures = { running: 0, done: 0, failed: 0, seconds: 0, due: 0, lastDone: 0 }
  return { kind, figures, workers: [], nextLook: 0, looking: {}, running: {} }
}
