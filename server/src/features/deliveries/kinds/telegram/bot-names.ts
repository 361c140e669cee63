import { type BotDeps, callBot } from './api.ts'

/** So long after Telegram couldn't be asked it isn't asked again, in milliseconds. */
const quietMs = 30_000

/** The name of the bot, by its token; a bot keeps its name. */
export class BotNames {
  readonly #base: string
  readonly #names = new Map<string, string>()
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(base: string) {
    this.#base = base
  }

  /** Such as `deals_bot`; null where Telegram doesn't tell at the moment. Throws only why `signal` was aborted. */
  async find(deps: BotDeps, signal: AbortSignal): Promise<string | null> {
    const token = deps.settings.TELEGRAM_TOKEN
    const known = this.#names.get(token)
    if (known !== undefined) return known
    if (token === '' || performance.now() - this.#failedAt < quietMs) return null
    const { answer } = await callBot(deps, this.#base, 'getMe', {}, { signal, totalMs: 5_000 })
    const name = Object(answer?.result).username
    if (answer?.isOk !== true || typeof name !== 'string' || !/^\w{3,64}$/.test(name)) {
      this.#failedAt = performance.now()
      return null
    }
    this.#names.set(token, name)
    return name
  }
}
