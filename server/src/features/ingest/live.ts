import { sql, type Transaction } from 'kysely'
import type { Sessions } from '../../platform/accounts/sessions.ts'
import type { Databases } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/access.ts'
import type { LiveBus } from '../../platform/live/live-bus.ts'
import { readValidTokens } from './queries.ts'

/** The channel that notifies every instance of a revoked token; the payload is its id. */
const tokensChannel = 'dealdeck_tokens'

/**
 * How often it is asked who of those under way may still import, in milliseconds: a notification may have been lost,
 * and a question may have failed.
 */
const lookMs = 3_000

/** Makes every instance end what a token still hands in, when the transaction commits. */
export async function notifyToken(transaction: Transaction<Tables>, id: number): Promise<void> {
  await sql`select pg_notify(${tokensChannel}, ${String(id)})`.execute(transaction)
}

/** Somebody who may import. */
export type Importer = Exclude<Caller, { kind: 'nobody' }>

/** An import or a preview under way. */
export class UnderWay {
  readonly importer: Importer
  readonly #controller = new AbortController()
  readonly #close: (self: UnderWay) => void

  constructor(importer: Importer, close: (self: UnderWay) => void) {
    this.importer = importer
    this.#close = close
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Ends it early; the first reason counts. */
  end(reason: AppError): void {
    this.#controller.abort(reason)
  }

  /** It is over. */
  close(): void {
    this.#close(this)
  }
}

/**
 * The imports under way in this process. Each is ended as soon as its token is removed or its session ends, on any
 * instance; at the latest when they are looked at again. While the database is away nobody is judged; all are when it
 * is back.
 */
export class RunningImports {
  readonly #open = new Set<UnderWay>()
  readonly #databases: Databases
  readonly #sessions: Sessions
  #look: NodeJS.Timeout | undefined

  constructor(databases: Databases, sessions: Sessions, bus: LiveBus) {
    this.#databases = databases
    this.#sessions = sessions
    bus.on(tokensChannel, (payload) =>
      this.#check(({ importer }) => importer.kind === 'token' && importer.id === Number(payload)),
    )
    sessions.onEnded((userId) =>
      this.#check(({ importer }) => importer.kind === 'session' && importer.session.user.id === userId),
    )
    bus.onConnect(() => this.#check(() => true))
  }

  begin(importer: Importer): UnderWay {
    const one = new UnderWay(importer, (self) => this.#close(self))
    this.#open.add(one)
    this.#look ??= setInterval(() => this.#check(() => true), lookMs).unref()
    // From here on it is notified; what changed since its caller was let in has to be read.
    this.#check((other) => other === one)
    return one
  }

  endAll(reason: AppError): void {
    for (const one of this.#open) one.end(reason)
  }

  #close(one: UnderWay): void {
    this.#open.delete(one)
    if (this.#open.size > 0) return
    clearInterval(this.#look)
    this.#look = undefined
  }

  #check(concerns: (one: UnderWay) => boolean): void {
    const chosen = [...this.#open].filter(concerns)
    // What fails here is asked again at the next look.
    if (chosen.length > 0) void this.#endUnknown(chosen).catch(() => undefined)
  }

  async #endUnknown(chosen: UnderWay[]): Promise<void> {
    const importers = chosen.map(({ importer }) => importer)
    const tokens = importers.flatMap((importer) => (importer.kind === 'token' ? importer.id : []))
    const keys = importers.flatMap((importer) => (importer.kind === 'session' ? importer.session.key : []))
    const [goodTokens, goodKeys] = await Promise.all([
      tokens.length > 0 ? readValidTokens(this.#databases, tokens) : new Set<number>(),
      keys.length > 0 ? this.#sessions.stillGood(keys) : new Set<string>(),
    ])
    for (const one of chosen) {
      const { importer } = one
      if (importer.kind === 'token' && !goodTokens.has(importer.id)) one.end(ended('The token was removed'))
      if (importer.kind === 'session' && !goodKeys.has(importer.session.key))
        one.end(ended('The session ended'))
    }
  }
}

const ended = (what: string) =>
  new AppError('UNAUTHENTICATED', `${what} while this import was under way. It was not completed.`)
