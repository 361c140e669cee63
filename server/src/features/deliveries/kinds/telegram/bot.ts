import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { HostQuietError, HostTurns, type ReleaseTurn } from '../../../../platform/outgoing/host-turns.ts'
import { makeSafeFetch } from '../../../../platform/outgoing/make-safe-fetch.ts'
import { waitMs } from '../../../../platform/outgoing/retry-after.ts'
import type { KindDeps } from '../destination-kind.ts'
import { callBot, telegramBase } from './api.ts'
import { BotNames } from './bot-names.ts'
import { ChatLinks, type LinkDeps } from './linking.ts'
import { heardUpdates, readUpdate } from './updates.ts'

/** Whoever has this turn hears the bot, in all processes together; it ends with its process. */
const turn = 'telegram-updates'
/** Telegram answers at once when there is something to hear, and otherwise after so many seconds. */
const pollSeconds = 25
/** How long to stay away: from a turn that is another's, after a conflict, where the token is wrong, and after failures at most. */
const usualPauses = { turn: 10_000, conflict: 30_000, token: 300_000, longest: 60_000 }
/** An update that can't be dealt with is left out after so many times. */
const mostTries = 3
/** So long what was heard may take to be dealt with, also at the end, in milliseconds. */
const hearMs = 5_000

type Options = Pick<KindDeps, 'databases' | 'clock' | 'settings'> &
  Pick<LinkDeps, 'changed'> & {
    log: Logger
    /** Others in tests only. */
    base?: string
    pauses?: typeof usualPauses
  }

/**
 * Hears what is sent to the bot of TELEGRAM_TOKEN, as the only one of all processes. What was heard is remembered by Telegram, so
 * another one goes on where this one ends.
 */
export class TelegramBot {
  readonly #options: Options
  readonly #deps: LinkDeps
  readonly #links: ChatLinks
  readonly #names: BotNames
  readonly #turns: HostTurns
  readonly #ending = new AbortController()
  #running: Promise<void> | undefined
  readonly #pauses: typeof usualPauses
  #offset: number | undefined
  #failures = 0
  #tries = 0
  #complaint: string | undefined

  constructor(options: Options) {
    const { databases, clock, settings, changed, base = telegramBase } = options
    const fetch = makeSafeFetch({
      ...{ allow: settings.FETCH_ALLOW, publicUrl: settings.PUBLIC_URL },
      headersMs: (pollSeconds + 10) * 1_000,
    })
    this.#options = options
    this.#pauses = options.pauses ?? usualPauses
    this.#deps = { databases, clock, settings, changed, fetch, base }
    this.#links = new ChatLinks(this.#deps)
    this.#names = new BotNames(base)
    this.#turns = new HostTurns(databases.reservedPool)
  }

  /** Begins in the background, where there is a bot. Never throws. */
  begin(): void {
    if (this.#options.settings.TELEGRAM_TOKEN !== '') this.#running ??= this.#run()
  }

  /** Ends soon, with what was heard dealt with. Never throws. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      let release: ReleaseTurn | undefined
      let quietMs = 0
      try {
        release = await this.#turns.take(turn, { pauseMs: 0, patienceMs: 0, signal })
        while (quietMs === 0 && !signal.aborted) quietMs = await this.#listen(signal)
      } catch (error) {
        if (!signal.aborted) quietMs = this.#afterError(error)
      }
      if (release) {
        await this.#confirm()
        await release()
      }
      await sleep(quietMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Waits for updates once and deals with them. Returns how long to stay away then, in milliseconds. */
  async #listen(signal: AbortSignal): Promise<number> {
    const offset = this.#offset === undefined ? {} : { offset: this.#offset }
    const asked = { timeout: pollSeconds, allowed_updates: heardUpdates, ...offset }
    const totalMs = (pollSeconds + 15) * 1_000
    const { answer, outcome } = await callBot(this.#deps, this.#deps.base, 'getUpdates', asked, {
      signal,
      totalMs,
    })
    if (outcome) return this.#backOff('text' in outcome ? outcome.text : 'Telegram does not answer.')
    if (answer.isOk && Array.isArray(answer.result)) {
      this.#recover()
      for (const each of answer.result) await this.#hear(each, signal)
      return 0
    }
    const { status, description, parameters } = answer
    if (status === 429) return waitMs(parameters.retry_after) || this.#pauses.longest
    // Another program hears the same bot, or it was told to send what it hears to an address.
    if (status === 409)
      return this.#complain(`Somebody else hears this bot: ${description}`, this.#pauses.conflict)
    if (status === 401 || status === 404)
      return this.#complain('Telegram does not know the bot: check TELEGRAM_TOKEN', this.#pauses.token)
    return this.#backOff(`Telegram answered with status ${status}`)
  }

  async #hear(value: unknown, signal: AbortSignal): Promise<void> {
    const update = readUpdate(value)
    if (!update) return
    // What is left of a batch at the end is heard by the next one.
    if (signal.aborted) return
    const late = AbortSignal.timeout(hearMs)
    try {
      const name = await this.#names.find(this.#deps, late)
      await this.#links.hear(update, name, late)
    } catch (error) {
      this.#tries += 1
      if (this.#tries < mostTries) throw error
      this.#options.log.warn({ err: error }, 'What was sent to the bot of Telegram is left out')
    }
    this.#tries = 0
    this.#offset = update.update_id + 1
  }

  /** Tells Telegram what was heard, so that nobody hears it again. Without an answer somebody does, which makes no difference. */
  async #confirm(): Promise<void> {
    if (this.#offset === undefined) return
    const asked = { offset: this.#offset, timeout: 0, limit: 1, allowed_updates: heardUpdates }
    this.#offset = undefined
    await callBot(this.#deps, this.#deps.base, 'getUpdates', asked, {
      signal: AbortSignal.timeout(2_000),
    }).catch(() => {})
  }

  #afterError(error: unknown): number {
    if (error instanceof HostQuietError) return this.#pauses.turn
    return this.#backOff(error instanceof Error ? error.message : String(error))
  }

  #backOff(complaint: string): number {
    this.#failures += 1
    return this.#complain(complaint, Math.min(this.#pauses.longest, 500 * 2 ** this.#failures))
  }

  #recover(): void {
    this.#failures = 0
    if (this.#complaint === undefined) return
    this.#complaint = undefined
    this.#options.log.info('The bot of Telegram is heard again')
  }

  /** One line for each trouble, however long it lasts. */
  #complain(complaint: string, quietMs: number): number {
    if (this.#complaint !== complaint)
      this.#options.log.warn({ complaint }, 'The bot of Telegram is not heard')
    this.#complaint = complaint
    return quietMs
  }
}
