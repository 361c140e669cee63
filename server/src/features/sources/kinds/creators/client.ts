import { setTimeout as sleep } from 'node:timers/promises'
import { timeInText } from '../../../../platform/clock.ts'
import { bodyText, type JsonObject, jsonObject } from '../../../../platform/outgoing/service-answers.ts'
import type { RunContext } from '../source-kind.ts'
import { isTokenExpired, Problem, problemOf } from './answers.ts'
import { authorization, type Credential, type TokenUrls, tokenOf } from './credentials.ts'
import type { CreatorsSettings } from './form.ts'

export type CreatorsAddresses = { base: string; tokenUrls: TokenUrls }

const limits = { packedBytes: 5_000_000, bytes: 20_000_000, totalMs: 60_000 }
const minutesOfDay = 24 * 60
/** Waiting for longer than this, in milliseconds, is another run's affair. */
const longestSleep = 30_000

/** Asks the interface at its pace, with a token that is renewed once where it has ended. */
export class CreatorsClient {
  readonly #addresses: CreatorsAddresses
  readonly #settings: CreatorsSettings
  readonly #context: RunContext
  readonly #credential: Credential
  requests = 0

  constructor(addresses: CreatorsAddresses, settings: CreatorsSettings, context: RunContext) {
    this.#addresses = addresses
    this.#settings = settings
    this.#context = context
    const { credential_version: version, credential_id: id } = settings
    this.#credential = { version, id, secret: context.secrets.client_secret ?? '' }
  }

  /** What the interface answers to a question; null: it knows no such items. Throws a Problem or a FetchError. */
  async ask(operation: 'searchItems' | 'getItems', question: object): Promise<JsonObject | null> {
    const token = await this.#token()
    const first = await this.#request(operation, question, token)
    if (!isTokenExpired(first.status, first.document)) return this.#documentOf(first)
    const renewed = await this.#token(token)
    return this.#documentOf(await this.#request(operation, question, renewed))
  }

  #token(isRefused?: string): Promise<string> {
    return tokenOf(this.#context, this.#addresses.tokenUrls, this.#credential, isRefused)
  }

  async #request(operation: string, question: object, token: string) {
    await this.#wait()
    const { ask, marketplace, signal } = this.#context
    const { version } = this.#credential
    this.requests += 1
    const { status, headers, body } = await ask(`${this.#addresses.base}/catalog/v1/${operation}`, {
      ...{ method: 'POST', limits, redirects: 0, signal, body: JSON.stringify(question) },
      pauseMs: 1_000 / this.#settings.per_second,
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json' },
        'x-marketplace': `www.${marketplace.domain}`,
      },
      secretHeaders: { authorization: authorization(version, token) },
    })
    return { status, headers, document: jsonObject(await bodyText(body)), token }
  }

  #documentOf(answer: { status: number; headers: Headers; document: JsonObject | null; token: string }) {
    const { status, document, token } = answer
    if (status === 200) {
      if (document) return document
      throw new Problem({ state: 'failed', text: 'The answer of the interface was no JSON.' })
    }
    const secrets = [token, this.#credential.secret]
    const problem = problemOf(answer, document, this.#context.clock(), secrets)
    if (problem) throw problem
    return null
  }

  /** Waits for the turn of this credential: so many requests a second, and a day. */
  async #wait(): Promise<void> {
    const { per_second, per_day } = this.#settings
    const { id } = this.#credential
    // What comes back in a day and what may go at once are never more than a day's requests together.
    const atOnce = Math.ceil(per_day / 10)
    const day = { most: atOnce, perMinute: (per_day - atOnce) / minutesOfDay }
    const second = { most: per_second, perMinute: per_second * 60 }
    const ofDay = await this.#context.budget(`creators day:${id}`, day).take(1, 0)
    if (!ofDay.granted)
      throw new Problem({
        ...{ state: 'waiting', notBefore: ofDay.until },
        text: `Waits until ${timeInText(ofDay.until)}, since the requests of the day are used up.`,
      })
    const pace = this.#context.budget(`creators second:${id}`, second)
    for (;;) {
      const turn = await pace.take(1, 0)
      if (turn.granted) return
      const ms = turn.until.getTime() - Date.now()
      if (ms > longestSleep)
        throw new Problem({ state: 'waiting', notBefore: turn.until, text: 'Waits for its turn.' })
      await sleep(Math.max(20, ms), undefined, { signal: this.#context.signal })
    }
  }
}
