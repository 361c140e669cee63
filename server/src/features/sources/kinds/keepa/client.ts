import { timeInText } from '../../../../platform/clock.ts'
import type { RunContext, RunOutcome, ServiceBudget } from '../source-kind.ts'
import { type Answer, askKeepa, type TokenCount } from './answers.ts'

const minuteMs = 60_000

/** Asks Keepa within the budget of a key, and keeps count of what it has cost. */
export class KeepaClient {
  readonly #base: string
  readonly #context: RunContext
  readonly #key: string
  readonly #budget: ServiceBudget
  /** Tokens that the answers so far have cost, and what the last one says is left. */
  consumed = 0
  tokens: TokenCount | null = null

  constructor(base: string, context: RunContext) {
    this.#base = base
    this.#context = context
    this.#key = context.secrets.api_key ?? ''
    this.#budget = context.budget(`keepa:${this.#key}`)
  }

  /** How many tokens there are; costs none, and shows whether the key is right. */
  status(): Promise<Answer> {
    return this.#ask('token', {}, 0)
  }

  /** One page of deals. Cost is set aside first; where there are too few tokens the problem says when there will be enough. */
  deals(selection: object, cost: number, reserve: number): Promise<Answer> {
    return this.#spend(cost, reserve, () => this.#ask('deal', {}, cost + reserve, selection))
  }

  /** Products by ASIN, at most 100. Their histories stay out, statistics cost nothing, ratings up to a token each. */
  products(domainId: number, asins: readonly string[], reserve: number): Promise<Answer> {
    const cost = asins.length * 2
    const query = { domain: String(domainId), asin: asins.join(','), stats: '90', history: '0', rating: '1' }
    return this.#spend(cost, reserve, () => this.#ask('product', query, cost + reserve))
  }

  /** What is worth saying of the key, and what everything has cost. */
  notes(): string[] {
    const penalty = this.tokens?.penalty ?? 0
    return penalty > 0
      ? [
          `Keepa gives this key ${penalty} tokens a minute less than its plan has, for requests beyond what it had.`,
        ]
      : []
  }

  cost(): string | undefined {
    return this.consumed === 0 ? undefined : `${this.consumed} tokens`
  }

  async #spend(cost: number, reserve: number, ask: () => Promise<Answer>): Promise<Answer> {
    const taken = await this.#budget.take(cost, reserve)
    if (taken.granted) return ask()
    return { tokens: this.tokens, problem: this.#waiting(taken.until) }
  }

  async #ask(
    path: string,
    query: Record<string, string>,
    needed: number,
    question?: object,
  ): Promise<Answer> {
    const address = `${this.#base}/${path}?${new URLSearchParams({ key: this.#key, ...query })}`
    const answer = await askKeepa(this.#context, address, this.#key, question)
    const { tokens } = answer
    if (!tokens) return answer
    const { left, refillPerMinute, refillInMs, consumed } = tokens
    this.tokens = tokens
    this.consumed += consumed
    await this.#budget.settle({ tokens: left, refillPerMinute, refillInMs })
    if (answer.problem?.state !== 'waiting') return answer
    const until = new Date(this.#context.clock().getTime() + waitMs(tokens, needed))
    return { tokens, problem: this.#waiting(until) }
  }

  #waiting(notBefore: Date): RunOutcome {
    return { state: 'waiting', notBefore, text: `Waits for tokens of Keepa until ${timeInText(notBefore)}.` }
  }
}

/** How long until there are so many tokens: they come back once a minute, and may be below none. */
export function waitMs({ left, refillPerMinute, refillInMs }: TokenCount, needed: number): number {
  const missing = Math.min(needed, refillPerMinute * 60) - left
  const steps = refillPerMinute > 0 ? Math.ceil(missing / refillPerMinute) : 1
  return refillInMs + Math.max(0, steps - 1) * minuteMs
}
