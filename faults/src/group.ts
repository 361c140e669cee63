import { expect } from 'vitest'
import { type DealdeckProcess, startDealdeck } from '../../server/testing/dealdeck-process.ts'
import type { DebianPostgres } from '../../server/testing/debian-postgres.ts'
import { Client } from './client.ts'
import { boss } from './installation.ts'
import { type Observations, Witness } from './witness.ts'

/** One process of the group, with a reader who stays with it. */
export class Member {
  readonly #address: string
  #process: DealdeckProcess | undefined
  #witness: Witness | undefined

  constructor(address: string) {
    this.#address = address
  }

  get witness(): Witness {
    if (!this.#witness) throw new Error('It was not started')
    return this.#witness
  }

  get client(): Client {
    return this.witness.client
  }

  async start(observations: Observations): Promise<void> {
    const started = startDealdeck({
      DATABASE_URL: this.#address,
      ...{ ADMIN_USERNAME: boss.username, ADMIN_PASSWORD: boss.password, LOG_LEVEL: 'fatal' },
    })
    this.#process = started
    const origin = await started.address()
    if (this.#witness) this.client.origin = origin
    else this.#witness = new Witness(await new Client(origin).signIn(boss), observations)
  }

  kill(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  /** Ends it as Ctrl-C does. */
  async stop(): Promise<void> {
    this.kill('SIGTERM')
    await this.#process?.ended()
  }

  async isReady(): Promise<void> {
    await expect.poll(() => this.client.get('/readyz').then(({ ok }) => ok), { timeout: 30_000 }).toBe(true)
  }
}

const kettles = Array.from({ length: 60 }, (_, n) => `B0H${String(n).padStart(7, '0')}`)
let price = 0

async function hand({ client }: Member, asins: string[]): Promise<void> {
  price += 1
  const outcome = await client.import(
    asins.map((asin) => ({ asin, title: `Kettle ${asin}`, price, availability: 'In stock' })),
  )
  if (outcome.kind !== 'acknowledged') throw new Error(`A change: ${JSON.stringify(outcome)}`)
}

/** All deals there will be: what takes a number a second time would else make the same ones again. */
export const fill = (member: Member) => hand(member, kettles)

/** Some changes one after the other, each of other deals to a price that none had before, and a filter of that name. */
export async function change(member: Member, name: string, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const from = (price * 7) % 57
    await hand(member, kettles.slice(from, from + 3))
  }
  const body = { category: 'brands', name: `${name} ${price}`, code: `p_89:${name}${price}` }
  const outcome = await member.client.change('POST', '/api/amazon_filters', body)
  if (outcome.kind !== 'acknowledged') throw new Error(`A filter: ${JSON.stringify(outcome)}`)
}

/** Waits until the readers of these processes know the newest revision. */
export async function waitForReaders(members: readonly Member[], database: DebianPostgres): Promise<void> {
  const [state] = await database.query<{ revision: string }>('select revision from feed_state')
  for (const { witness } of members)
    await expect.poll(() => witness.revision, { timeout: 10_000 }).toBe(Number(state?.revision))
}
