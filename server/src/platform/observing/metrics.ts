import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Databases } from '../database/database.ts'
import type { JobFigures } from '../jobs/job-runner.ts'
import type { Reading, WatchedFigure, WatchedSources } from './watched-figures.ts'

/** The parts of the process whose metrics are read when they are asked for. */
export type Watched = {
  databases: Databases
  bus: { readonly connected: boolean }
  streams(): { open: number; opened: number; dropped: number }
  gates: Record<string, { readonly figures: { running: number; waiting: number } }>
  pages: { readonly hits: number; readonly misses: number; readonly bytes: number }
  /** Deals in memory, and searches answered from there and by the database. */
  search: { readonly figures: { deals: number; memory: number; database: number } }
  /** The newest revision known here; null before the first is read. */
  revision(): number | null
}

/** What a process reports of its jobs; one that only serves reports nothing. */
export type WatchedJobs = {
  figures(): [kind: string, figures: JobFigures][]
  /** The newest minute known here to be recorded as up, in milliseconds since 1970; undefined before the first. */
  lastHeartbeat(): number | undefined
  /** How far each follower of the changes was behind at the last look, in revisions and seconds. */
  followers(): readonly { name: string; revisions: number; seconds: number }[]
}

export type SignInOutcome = 'ok' | 'wrong' | 'pending' | 'throttled' | 'unavailable' | 'failed'
type RowOutcome = 'created' | 'updated' | 'unchanged' | 'superseded' | 'rejected'

/**
 * The metrics of this process for Prometheus. Nothing here asks the database, and nothing but plain numbers is stored
 * between two scrapes; names of people, deals or words are never labels.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = this.#histogram(
    'http_request_duration_seconds',
    'Time to answer, by route and status',
    [0.005, 0.02, 0.1, 0.5, 2, 10],
    ['method', 'route', 'status'],
  )
  readonly #signIns = this.#counter('dealdeck_sign_ins_total', 'Tries to sign in, by outcome', ['outcome'])
  readonly #imports = this.#counter('dealdeck_imports_total', 'Imports that ended, by outcome', ['outcome'])
  readonly #rows = this.#counter('dealdeck_import_rows_total', 'Rows of finished imports, by outcome', [
    'outcome',
  ])
  readonly #importSeconds = this.#histogram(
    'dealdeck_import_duration_seconds',
    'From the first byte of an import to its answer',
    [0.1, 0.5, 2, 10, 60, 300, 1800],
  )
  #runningImports = 0

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
    this.#gauge('dealdeck_imports_running', 'Imports under way', [], () => [[this.#runningImports]])
    // There from the start, so that an alarm can distinguish none from not yet.
    for (const outcome of ['ok', 'wrong', 'pending', 'throttled', 'unavailable', 'failed'])
      this.#signIns.inc({ outcome }, 0)
    for (const outcome of ['done', 'refused', 'failed']) this.#imports.inc({ outcome }, 0)
    for (const outcome of ['created', 'updated', 'unchanged', 'superseded', 'rejected'])
      this.#rows.inc({ outcome }, 0)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** All metrics as Prometheus text. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  answered(method: string, route: string, status: number, ms: number): void {
    this.#requests.labels(method, route, String(status)).observe(ms / 1000)
  }

  signIn(outcome: SignInOutcome): void {
    this.#signIns.inc({ outcome })
  }

  importBegins(): void {
    this.#runningImports += 1
  }

  /** `refused` is the sender's doing, `failed` ours or the database's. A rehearsal counts no rows. */
  importEnds(outcome: 'done' | 'refused' | 'failed', ms: number, rows: Partial<Record<RowOutcome, number>>) {
    this.#runningImports -= 1
    this.#imports.inc({ outcome })
    this.#importSeconds.observe(ms / 1000)
    for (const [name, count] of Object.entries(rows)) this.#rows.inc({ outcome: name }, count)
  }

  /** Adds what is read off the running parts at each scrape. */
  watch({ databases, bus, streams, gates, pages, search, revision }: Watched): void {
    const { watch, customPlanPool, reservedPool, genericPlanPool, durablePool, patientPool } = databases
    const pools = Object.entries({
      ...{
        read: customPlanPool,
        session: reservedPool,
        page: genericPlanPool,
        write: durablePool,
        import: patientPool,
      },
    })
    this.#gauge('dealdeck_open_streams', 'Browsers that listen for changes now', [], () => [[streams().open]])
    this.#tally('dealdeck_streams_opened_total', 'Streams opened so far', [], () => [[streams().opened]])
    this.#tally(
      'dealdeck_streams_dropped_total',
      'Streams cut: too far behind, or not read at all',
      [],
      () => [[streams().dropped]],
    )
    this.#gauge('dealdeck_feed_revision', 'Newest revision of the feed known here', [], () => [
      [revision() ?? 0],
    ])
    this.#gauge('dealdeck_live_bus_connected', 'Whether changes made elsewhere are heard (1)', [], () => [
      [Number(bus.connected)],
    ])
    this.#gauge('dealdeck_database_away', 'Whether the database does not answer (1)', [], () => [
      [Number(watch.isAway)],
    ])
    this.#gauge('dealdeck_database_read_only', 'Whether the database takes no changes (1)', [], () => [
      [Number(watch.state === 'read_only')],
    ])
    this.#gauge('dealdeck_database_commits_waiting', 'Commits that wait for a standby', [], () => [
      [watch.commitsWaiting],
    ])
    this.#tally(
      'dealdeck_database_commits_unconfirmed_total',
      'Commits that no standby confirmed in time',
      [],
      () => [[watch.commitsUnconfirmed]],
    )
    this.#gauge('dealdeck_database_connections', 'Connections, by pool and state', ['pool', 'state'], () =>
      pools.flatMap(([pool, { totalCount, idleCount }]) => [
        [totalCount - idleCount, pool, 'used'],
        [idleCount, pool, 'idle'],
      ]),
    )
    this.#gauge('dealdeck_database_connections_limit', 'Connections a pool may have', ['pool'], () =>
      pools.map(([pool, { options }]) => [options.max, pool]),
    )
    this.#gauge('dealdeck_database_waiting', 'Queries that wait for a connection', ['pool'], () =>
      pools.map(([pool, { waitingCount }]) => [waitingCount, pool]),
    )
    this.#gauge('dealdeck_turns', 'Turns of members, by gate and state', ['gate', 'state'], () =>
      Object.entries(gates).flatMap(([gate, { figures }]) => [
        [figures.running, gate, 'running'],
        [figures.waiting, gate, 'waiting'],
      ]),
    )
    this.#gauge('dealdeck_search_deals', 'Deals that searches find in memory', [], () => [
      [search.figures.deals],
    ])
    this.#tally('dealdeck_searches_total', 'Searches, by what found their deals', ['by'], () => [
      [search.figures.memory, 'memory'],
      [search.figures.database, 'database'],
    ])
    this.#tally(
      'dealdeck_feed_cache_requests_total',
      'Pages of the feed, by whether they were kept',
      ['outcome'],
      () => [
        [pages.hits, 'hit'],
        [pages.misses, 'miss'],
      ],
    )
    this.#gauge('dealdeck_feed_cache_bytes', 'Size of the pages kept', [], () => [[pages.bytes]])
  }

  /** Adds what is read off the work in the background. */
  watchJobs({ figures, lastHeartbeat, followers }: WatchedJobs): void {
    const each = (read: (figures: JobFigures) => number) => () =>
      figures().map(([kind, of]): Reading => [read(of), kind])
    this.#gauge(
      'dealdeck_jobs_running',
      'Jobs under way here, by kind',
      ['kind'],
      each(({ running }) => running),
    )
    this.#gauge(
      'dealdeck_jobs_due',
      'Jobs to be done at the last look, by kind',
      ['kind'],
      each(({ due }) => due),
    )
    this.#tally('dealdeck_jobs_total', 'Jobs that ended here, by kind and outcome', ['kind', 'outcome'], () =>
      figures().flatMap(([kind, { done, failed }]): Reading[] => [
        [done, kind, 'done'],
        [failed, kind, 'failed'],
      ]),
    )
    this.#tally(
      'dealdeck_job_seconds_total',
      'Time spent on jobs here, by kind',
      ['kind'],
      each(({ seconds }) => seconds),
    )
    this.#gauge(
      'dealdeck_job_last_done_timestamp_seconds',
      'When a job was last done here, by kind',
      ['kind'],
      each(({ lastDone }) => lastDone / 1000),
    )
    this.#gauge(
      'dealdeck_last_heartbeat_timestamp_seconds',
      'The newest minute recorded as up, by any process',
      [],
      () => [[(lastHeartbeat() ?? 0) / 1000]],
    )
    this.#gauge(
      'dealdeck_follower_lag_revisions',
      'Revisions a follower has not dealt with, at the last look',
      ['follower'],
      () => followers().map(({ name, revisions }) => [revisions, name]),
    )
    this.#gauge(
      'dealdeck_follower_lag_seconds',
      'Age of the oldest revision a follower has not dealt with, at the last look',
      ['follower'],
      () => followers().map(({ name, seconds }) => [seconds, name]),
    )
  }

  /** Adds what is read off the sources. */
  watchSources(sources: WatchedSources): void {
    this.#gauge('dealdeck_sources_running', 'Sources that are being asked here', [], () => [
      [sources.running],
    ])
    this.#tally('dealdeck_source_runs_total', 'Runs that ended here', ['kind', 'outcome'], () =>
      [...sources.ended].map(([kind, outcome, count]): Reading => [count, kind, outcome]),
    )
    this.#tally('dealdeck_source_seconds_total', 'Time spent on asking sources here', [], () => [
      [sources.seconds],
    ])
    this.#tally('dealdeck_source_rows_held_total', 'Rows that were held here', [], () => [[sources.held]])
    this.#gauge('dealdeck_source_oldest_due_seconds', 'How long a source has been due', [], () => [
      [sources.oldestDue === undefined ? 0 : Math.max(0, Date.now() - sources.oldestDue) / 1000],
    ])
    this.#gauge('dealdeck_sources_failing', 'Sources that could not be read the last time', [], () => [
      [sources.failing],
    ])
    this.#gauge('dealdeck_sources_silent', 'Sources from which nothing came for too long', [], () => [
      [sources.silent],
    ])
  }

  /** Adds figures that are described where they are counted. */
  watchFigures(figures: readonly WatchedFigure[]): void {
    for (const { isTally, name, help, labels, read } of figures)
      if (isTally) this.#tally(name, help, labels, read)
      else this.#gauge(name, help, labels, read)
  }

  #counter<T extends string>(name: string, help: string, labelNames: T[]): Counter<T> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  #histogram<T extends string>(name: string, help: string, buckets: number[], labelNames: T[] = []) {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.#registry] })
  }

  /** A figure that goes up and down; `read` gives each value with its labels, in their order. */
  #gauge(name: string, help: string, labelNames: string[], read: () => Reading[]): void {
    const registers = [this.#registry]
    new Gauge({
      ...{ name, help, labelNames, registers },
      collect() {
        // What isn't there any more is not reported for ever.
        this.reset()
        for (const [value, ...labels] of read()) this.labels(...labels).set(value)
      },
    })
  }

  /** A figure that only grows and is counted elsewhere. */
  #tally(name: string, help: string, labelNames: string[], read: () => Reading[]): void {
    const registers = [this.#registry]
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset()
        for (const [value, ...labels] of read()) this.labels(...labels).inc(value)
      },
    })
  }
}
