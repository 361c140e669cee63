import { z } from 'zod'
import type { Databases } from '../database/database.ts'
import { AppError } from '../errors.ts'
import type { NetworkAndSite } from '../http/caller-address.ts'
import type { LiveBus } from '../live/live-bus.ts'
import { ProcessChannel } from '../live/process-channel.ts'
import { type Attempt, AttemptLimit } from './attempt-limit.ts'
import { SignInTurns } from './sign-in-turns.ts'

/** On it processes tell each other of attempts that went wrong. */
const attemptsChannel = 'dealdeck_attempts'

const messageSchema = z.object({
  limit: z.enum(['network', 'site', 'name', 'known', 'user', 'signUp']),
  key: z.string().length(22),
  event: z.enum(['counted', 'cleared']),
})
type Message = z.infer<typeof messageSchema>

/** Who tries to sign in. */
export type SignInAttempt = NetworkAndSite & {
  /** In the one form in which names are compared. */
  name: string
  /** The device, when this name has signed in from it. */
  device: string | undefined
  /** Whether the name has a session that was used from this network. Asked only when it makes a difference. */
  isKnownHere(): Promise<boolean>
  /** Aborted when they leave: then nobody's turn comes. */
  gone?: AbortSignal
}

/**
 * Wrong passwords allowed within five minutes: ten a name or user, a hundred a network, a thousand a site of many networks.
 * When these are used up there are ten more for a name from each device and network it is known at, so that nobody can keep
 * its owner out by guessing. Only what went wrong counts, in all processes. Whoever sends many attempts at once waits in turn.
 */
export class SignInThrottle {
  readonly turns: SignInTurns
  readonly #channel: ProcessChannel<Message>
  readonly #limits = {
    network: this.#shared('network', { attempts: 100, seconds: 300 }),
    site: this.#shared('site', { attempts: 1_000, seconds: 300 }),
    name: this.#shared('name', { attempts: 10, seconds: 300 }),
    known: this.#shared('known', { attempts: 10, seconds: 300 }),
    user: this.#shared('user', { attempts: 10, seconds: 300 }),
    signUp: this.#shared('signUp', { attempts: 100, seconds: 600 }),
  }
  /** Built-in accounts, while the database is away: nobody can be told, and nothing of it counts when it is back. */
  readonly #builtIn = new AttemptLimit({ attempts: 10, seconds: 300 })

  constructor(databases: Databases, bus: LiveBus, turns = new SignInTurns(databases)) {
    this.turns = turns
    this.#channel = new ProcessChannel(databases, bus, {
      ...{ name: attemptsChannel, schema: messageSchema },
      hear: ({ limit, key, event }) => this.#limits[limit].hear(key, event),
    })
  }

  /** Runs a sign-in in its turn. A wrong password is counted, whatever else happens is not. Throws TOO_MANY_REQUESTS. */
  async signIn<T>(attempt: SignInAttempt, work: () => Promise<T>): Promise<T> {
    const { device, name, gone } = attempt
    const turn = await this.turns.enter(attempt, device === undefined ? undefined : name, gone)
    try {
      const { own, all } = await this.#begin(attempt)
      try {
        const result = await work()
        this.turns.learn(attempt)
        own.clear()
        for (const one of all) if (one !== own) one.drop()
        return result
      } catch (error) {
        const isWrong = error instanceof AppError && error.code === 'INVALID_CREDENTIALS'
        for (const one of all) isWrong ? one.count() : one.drop()
        throw error
      }
    } finally {
      turn.end()
    }
  }

  /** Runs a sign-up in its turn. It counts unless the fault is ours. Throws TOO_MANY_REQUESTS. */
  async signUp<T>(caller: NetworkAndSite, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    const turn = await this.turns.enter(caller, undefined, gone)
    try {
      const attempt = await this.#limits.signUp.begin(caller.site)
      return await work().then(
        (result) => {
          attempt.count()
          return result
        },
        (error: unknown) => {
          error instanceof AppError ? attempt.count() : attempt.drop()
          throw error
        },
      )
    } finally {
      turn.end()
    }
  }

  /** Runs somebody's attempt to prove by their password that a session is in their hands: undefined when it is wrong. */
  async confirm<T>(userId: number, work: () => Promise<T | undefined>): Promise<T | undefined> {
    const turn = await this.turns.enterAsUser(userId)
    try {
      return await counting(await this.#limits.user.begin(String(userId)), work)
    } finally {
      turn.end()
    }
  }

  /** Runs a sign-in while the database is away: undefined when it is no built-in account's name and password. */
  async signInBuiltIn<T>(name: string, work: () => Promise<T | undefined>): Promise<T | undefined> {
    return counting(await this.#builtIn.begin(name), work)
  }

  async #begin({ name, network, site, device, isKnownHere }: SignInAttempt) {
    const all: Attempt[] = []
    try {
      all.push(await this.#limits.network.begin(network))
      if (site !== network) all.push(await this.#limits.site.begin(site))
      const own = await this.#limits.name.begin(name)
      all.push(own)
      return { own, all }
    } catch (refusal) {
      for (const one of all) one.drop()
      const origin = device ?? ((await isKnownHere()) ? network : undefined)
      if (origin === undefined) throw refusal
      const own = await this.#limits.known.begin(`${origin} ${name}`)
      return { own, all: [own] }
    }
  }

  #shared(limit: Message['limit'], allowed: { attempts: number; seconds: number }): AttemptLimit {
    return new AttemptLimit({
      ...allowed,
      tell: (key, event) => void this.#channel.send({ limit, key, event }),
    })
  }
}

async function counting<T>(attempt: Attempt, work: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    const result = await work()
    result === undefined ? attempt.count() : attempt.clear()
    return result
  } catch (error) {
    attempt.drop()
    throw error
  }
}
