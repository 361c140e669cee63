import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Suggestions } from '@dealdeck/contract/deals'
import { type Condition, conjunctsOf, leavesOf } from '@dealdeck/query/question'
import type { Logger } from 'pino'
import type { CancelSignal } from '../../../platform/cancellation.ts'
import type { Databases } from '../../../platform/database/database.ts'
import type { DatabaseState } from '../../../platform/database/database-watch.ts'
import type { Stamp } from '../../../platform/database/epoch.ts'
import { AppError } from '../../../platform/errors.ts'
import type { LiveBus } from '../../../platform/live/live-bus.ts'
import { threadArguments } from '../../../platform/thread-arguments.ts'
import { dealsChannel } from '../publisher.ts'
import type { FeedQuery } from '../searching/conditions.ts'
import type { SuggestedField } from '../searching/suggestions.ts'
import type { FoundDeals } from './deal-index.ts'
import { DealTexts } from './deal-texts.ts'
import type { IndexAnswer, IndexRequest, IndexWorkerData, SentQuery } from './index-messages.ts'
import { LeftQuestions } from './left-questions.ts'

/** A thread that ended is followed by another one after so long, in milliseconds; longer each time it doesn't get far. */
const [leastPauseMs, mostPauseMs] = [1_000, 60_000]
/** Who has waited so long for an answer asks the database; in milliseconds. */
const answerPatienceMs = 1_500
/**
 * So long whoever asks for fields waits for the index while it is read, and is told to come again then: the database would go through all deals
 * for them, and be read more slowly. Less than the five seconds after which a page is given up. In milliseconds.
 */
const readingPatienceMs = 4_000
/** The thread's garbage of a moment may take so much; what it keeps stands elsewhere. */
const youngMb = 12

type Waiting = (answer: IndexAnswer | undefined) => void

/**
 * Finds deals by what their titles hold and by what questions ask, in the memory of a thread of its own that follows the
 * database. Everything it answers the database could answer too, more slowly: whatever is undefined here is asked there.
 */
export class DealSearch {
  readonly #databases: Databases
  readonly #log: Logger
  readonly #stamp: () => Stamp | null
  readonly #readingPatienceMs: number
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #epoch: string | undefined
  #texts = new DealTexts()
  readonly #left = new LeftQuestions()
  /** Who waits for an index that is being read. */
  readonly #untilRead = new Set<() => void>()
  #asked = 0
  #restart: NodeJS.Timeout | undefined
  #pauseMs = leastPauseMs
  #isStopped = true
  readonly #figures = { deals: 0, memory: 0, database: 0 }

  /** `stamp`: what is known of the database's revision, as `DealStream.trustedStamp`. */
  constructor(
    databases: Databases,
    bus: LiveBus,
    log: Logger,
    stamp: () => Stamp | null,
    patienceMs = readingPatienceMs,
  ) {
    this.#readingPatienceMs = patienceMs
    this.#databases = databases
    this.#log = log
    this.#stamp = stamp
    bus.on(dealsChannel, (payload) => this.#advance(Number(payload)))
  }

  /** Deals in memory, as far as is known here, and searches answered from there and left to the database so far. */
  get figures(): Readonly<{ deals: number; memory: number; database: number }> {
    return this.#figures
  }

  start(): void {
    this.#isStopped = false
    this.#databases.watch.onChange.add(this.#beginAnew)
    this.#begin()
  }

  /** The thread's connection may hang, or lead to another server than those of this process. */
  readonly #beginAnew = (state: DatabaseState) => {
    if (state === 'away') void this.#worker?.terminate()
    else if (!this.#worker) {
      // Each try while it was away has made the pause longer.
      clearTimeout(this.#restart)
      this.#pauseMs = leastPauseMs
      this.#begin()
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#databases.watch.onChange.delete(this.#beginAnew)
    clearTimeout(this.#restart)
    for (const goOn of this.#untilRead) goOn()
    await this.#worker?.terminate()
  }

  /**
   * Waits until an index that is being read can be asked, where the database would go through all deals for the query. For before its
   * turn is taken: nobody else's query has to wait for that. Throws the signal's reason, and BUSY when it takes long.
   */
  async untilAskable(query: FeedQuery, signal: CancelSignal | undefined): Promise<void> {
    if (isForIndex(query) && asksForFields(query)) await this.#untilIndexed(signal)
  }

  /** Whether somebody may have to wait for that. */
  get isReading(): boolean {
    return !this.#isStopped && this.#epoch === undefined
  }

  /** The deals of a page, and what is known of their JSON; undefined when the database has to be asked. */
  async find(query: FeedQuery): Promise<(FoundDeals & { texts: DealTexts }) | undefined> {
    // Those of the thread that is asked: each counts its versions anew.
    let texts = this.#texts
    const answer = await this.#ask(query, (at, revision, sent) => {
      texts = this.#texts
      return { kind: 'find', at, revision, query: sent }
    })
    return answer?.kind === 'found' ? { ...answer.found, texts } : undefined
  }

  /** How many deals meet a query, counted up to `most`; undefined when the database has to be asked. */
  async count(query: FeedQuery, most: number): Promise<number | undefined> {
    const answer = await this.#ask(query, (at, revision, sent) => ({
      kind: 'count',
      at,
      revision,
      query: sent,
      most,
    }))
    return answer?.kind === 'counted' ? answer.count : undefined
  }

  /** Values to offer for what has been typed of one; undefined when the database has to be asked. */
  async suggest(field: SuggestedField, prefix: string): Promise<Suggestions['values'] | undefined> {
    const answer = await this.#askWorker(undefined, (at, revision) => ({
      kind: 'suggest',
      at,
      revision,
      field,
      prefix,
    }))
    return answer?.kind === 'suggested' ? answer.values : undefined
  }

  async #ask(
    { signal, ...query }: FeedQuery,
    request: (at: number, revision: number, query: SentQuery) => IndexRequest,
  ): Promise<IndexAnswer | undefined> {
    if (!isForIndex(query)) return undefined
    if (signal?.aborted) throw signal.reason
    if (asksForFields(query)) await this.#untilIndexed(signal)
    const answer = await this.#askWorker(signal, (at, revision) => request(at, revision, query))
    const isAnswered = answer !== undefined && answer.kind !== 'given up'
    this.#figures[isAnswered ? 'memory' : 'database'] += 1
    return answer
  }

  async #askWorker(
    signal: CancelSignal | undefined,
    request: (at: number, revision: number) => IndexRequest,
  ): Promise<IndexAnswer | undefined> {
    const worker = this.#worker
    const stamp = this.#stamp()
    if (!worker || stamp?.epoch !== this.#epoch || !stamp) return undefined
    const at = ++this.#asked
    const { promise, resolve, reject } = Promise.withResolvers<IndexAnswer | undefined>()
    const left = this.#left
    const leave = () => {
      left.leave(at)
      reject(signal?.reason)
    }
    const late = setTimeout(() => {
      left.leave(at)
      resolve(undefined)
    }, answerPatienceMs)
    signal?.addEventListener('abort', leave, { once: true })
    this.#waiting.set(at, resolve)
    worker.postMessage(request(at, stamp.revision))
    try {
      return await promise
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', leave)
      this.#waiting.delete(at)
    }
  }

  /** Waits for an index that is being read, or is to be read in a moment. Throws the signal's reason, and BUSY when that takes long. */
  async #untilIndexed(signal: CancelSignal | undefined): Promise<void> {
    if (!this.isReading) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => reject(signal?.reason)
    // Where none can be read, again and again, there is only the database.
    const late = setTimeout(
      () => (this.#worker ? reject(stillReading()) : resolve()),
      this.#readingPatienceMs,
    )
    signal?.addEventListener('abort', leave, { once: true })
    this.#untilRead.add(resolve)
    try {
      await promise
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', leave)
      this.#untilRead.delete(resolve)
    }
  }

  #advance(revision: number): void {
    if (this.#epoch !== undefined) this.#worker?.postMessage({ kind: 'advance', revision })
  }

  #begin(): void {
    // The process's own heap is made; the option it was started with would overrule what is said of this thread's.
    setFlagsFromString('--max-semi-space-size=0')
    const worker = new Worker(new URL('./index-worker.ts', import.meta.url), {
      workerData: { url: this.#databases.url, memory: this.#left.memory } satisfies IndexWorkerData,
      execArgv: threadArguments(),
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    })
    this.#worker = worker
    this.#texts = new DealTexts()
    const began = performance.now()
    worker.on('message', (answer: IndexAnswer) => {
      if ('deals' in answer) this.#figures.deals = answer.deals
      if (answer.kind === 'ready') {
        this.#epoch = answer.stamp.epoch
        this.#pauseMs = leastPauseMs
        for (const goOn of this.#untilRead) goOn()
        this.#log.info(
          { deals: answer.deals, ms: Math.round(performance.now() - began) },
          'Deals are indexed',
        )
      } else this.#waiting.get(answer.at)?.(answer)
    })
    worker.on('error', (error) => {
      if (!this.#isStopped) this.#log.warn({ err: error.message }, 'The index of deals begins anew')
    })
    worker.on('exit', () => {
      this.#worker = undefined
      this.#epoch = undefined
      this.#figures.deals = 0
      for (const resolve of this.#waiting.values()) resolve(undefined)
      if (this.#isStopped) return
      this.#restart = setTimeout(() => this.#begin(), this.#pauseMs).unref()
      this.#pauseMs = Math.min(2 * this.#pauseMs, mostPauseMs)
    })
    worker.unref()
  }
}

function stillReading(): AppError {
  const message = 'The server is reading its deals, as after a start. Please try again in a few seconds.'
  return new AppError('BUSY', message, { retryAfter: 2 })
}

/** Whether a query is one that the index answers better than the sorts' and the codes' own indexes in the database. */
function isForIndex(query: Omit<FeedQuery, 'signal'>): boolean {
  const { asked } = query
  if (query.includeHidden || conjunctsOf(asked?.condition ?? null).some(isLongCode)) return false
  return query.search !== '' || asked !== undefined || query.min_rating !== undefined
}

/** Whether a condition is of so many letters of a code that few deals begin with them. */
const isLongCode = (condition: Condition) =>
  condition.kind === 'code' && condition.tests.every((beginning) => beginning.length >= 8)

/** Whether a query asks for more than texts and prices, which the database has indexes of. */
function asksForFields({ asked, min_rating }: Omit<FeedQuery, 'signal'>): boolean {
  const asksFor = leavesOf(asked?.condition ?? null).some(
    (leaf) => leaf.kind !== 'text' && !(leaf.kind === 'number' && leaf.field === 'price'),
  )
  return asksFor || min_rating !== undefined
}
