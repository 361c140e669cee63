import { AppError } from '../../../platform/errors.ts'
import { type GateLimits, MemberGate, type Peers, type Turn } from '../../../platform/limits/member-gate.ts'

/** How the turns of one kind are given. */
export type TurnRules = GateLimits & {
  /** How long one waits for its turn at most, in milliseconds: below the five minutes many clients wait for an answer. */
  waitMs: number
  /** Bytes a second below which a sender loses its turn as soon as another member waits for it. */
  pace: number
}

/** At most as many imports as have a connection each, and of one token or administrator fewer than that. */
export const importRules: TurnRules = {
  ...{ name: 'imports', total: 3, perMember: 2, queue: 6 },
  ...{ waitMs: 240_000, pace: 32 * 1024 },
}
/** The same where the pool for imports has so many connections. */
export const importRulesFor = (connections: number): TurnRules => ({
  ...importRules,
  ...{ total: connections, perMember: Math.max(1, connections - 1) },
})
/** Previews are short and hold no connection: they don't wait for imports. */
export const previewRules: TurnRules = { ...importRules, name: 'previews', total: 6, waitMs: 60_000 }

/** How often the pace of those whose turn it is gets looked at, in milliseconds. */
const lookMs = 1_000

/** Somebody's body: whose it is, how fast it comes (bytes a second, once that can be said), and how to end its reading. */
export type Upload = {
  member: string
  signal: AbortSignal
  body: { readonly pace: number | undefined }
  end(error: AppError): void
}

/**
 * A semaphore of those who send bodies, fair by member and not first come, first served: members take turns, from the
 * first byte on. Whoever has a turn may be as slow as they like while nobody else wants it; once another member does, the
 * slowest below the pace loses it.
 */
export class FairSemaphore {
  readonly #gate: MemberGate
  readonly #rules: TurnRules
  readonly #holders = new Set<Upload>()
  #look: NodeJS.Timeout | undefined

  constructor(rules: TurnRules, peers?: Peers) {
    this.#rules = rules
    this.#gate = new MemberGate(rules, peers)
  }

  get figures(): { running: number; waiting: number } {
    return this.#gate.figures
  }

  /** Works once it is its turn. Throws TOO_MANY_REQUESTS when that takes too long, and the reason the upload has ended. */
  async run<T>(upload: Upload, work: () => Promise<T>): Promise<T> {
    const turn = this.#gate.tryEnter(upload.member) ?? (await this.#wait(upload))
    this.#holders.add(upload)
    this.#look ??= setInterval(() => this.#endSlowest(), lookMs)
    try {
      // It may have ended just as its turn was given.
      upload.signal.throwIfAborted()
      return await work()
    } finally {
      this.#holders.delete(upload)
      if (this.#holders.size === 0) {
        clearInterval(this.#look)
        this.#look = undefined
      }
      turn.end()
    }
  }

  async #wait({ member, signal }: Upload): Promise<Turn> {
    const late = AbortSignal.timeout(this.#rules.waitMs)
    try {
      return await this.#gate.enter(member, AbortSignal.any([signal, late]))
    } catch (error) {
      if (!late.aborted || signal.aborted) throw error
      const message = 'Others have been importing all the time. Please send it again in a few minutes.'
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfter: 60 })
    }
  }

  /** One at a time: whoever was aborted makes room for one who waits. */
  #endSlowest(): void {
    const holders = [...this.#holders]
    if (holders.some(({ signal }) => signal.aborted)) return
    const { pace } = this.#rules
    const [slowest] = holders
      .filter(({ body, member }) => (body.pace ?? pace) < pace && this.#gate.isAwaited(member))
      .sort((a, b) => (a.body.pace ?? 0) - (b.body.pace ?? 0))
    const message = `Others wait, and this body comes at less than ${pace / 1024} KB a second. Nothing was imported; please send it again later, or packed.`
    slowest?.end(new AppError('TOO_MANY_REQUESTS', message, { retryAfter: 30 }))
  }
}
