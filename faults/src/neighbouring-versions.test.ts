import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startDealdeck } from '../../server/testing/dealdeck-process.ts'
import { Client } from './client.ts'
import { extent } from './extent.ts'
import { boss } from './installation.ts'
import { ownDatabase } from './own-database.ts'
import { judge, Observations, Witness } from './witness.ts'

const { previous } = extent
if (previous === undefined)
  console.log('Neighbouring versions are tried only with --previous FOLDER, a checkout of the release before')

/** Somebody who reads and imports through one process all the time; whatever isn't answered as it should be is a failure. */
class Busy {
  readonly failures: string[] = []
  readonly acknowledged = new Set<string>()
  pages = 0
  readonly #name: string
  readonly #client: Client

  constructor(name: string, client: Client) {
    this.#name = name
    this.#client = client
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#read(signal), this.#import(signal)])
  }

  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const path of [
        '/api/products?limit=20',
        '/api/products?search=kettle',
        '/api/amazon_filters',
        '/readyz',
      ]) {
        const answer = await this.#client.get(path)
        if (!answer.ok) this.failures.push(`${this.#name} ${path}: ${answer.status}`)
        await answer.arrayBuffer()
        this.pages += 1
      }
      await sleep(20)
    }
  }

  async #import(signal: AbortSignal): Promise<void> {
    for (let at = 0; !signal.aborted; at++) {
      const asin = `B0${this.#name}${String(at).padStart(7, '0')}`
      const row = { asin, title: `Kettle ${at}`, price: 9, availability: 'In stock' }
      const outcome = await this.#client.import([row])
      if (outcome.kind === 'acknowledged') this.acknowledged.add(asin)
      else this.failures.push(`${this.#name} import: ${JSON.stringify(outcome)}`)
      await sleep(50)
    }
  }
}

test.runIf(previous)(
  'two neighbouring versions serve one database while it is brought up to date: nobody is refused, nothing is lost',
  async () => {
    const DATABASE_URL = await ownDatabase('template0')
    const database = new pg.Client({ connectionString: DATABASE_URL })
    await database.connect()
    onTestFinished(() => database.end())
    const ask = async (sql: string) => (await database.query(sql)).rows
    const start = async (checkout?: string) => {
      const dealdeck = startDealdeck(
        {
          ...{ DATABASE_URL, LOG_LEVEL: 'warn' },
          ...{ ADMIN_USERNAME: boss.username, ADMIN_PASSWORD: boss.password },
        },
        checkout,
      )
      const client = await new Client(await dealdeck.address()).signIn(boss)
      return { dealdeck, client, observations: new Observations() }
    }

    const older = await start(previous)
    const [olderEnd, newerEnd] = [new AbortController(), new AbortController()]
    const olderBusy = new Busy('P', older.client)
    const running = [
      olderBusy.run(olderEnd.signal),
      new Witness(older.client, older.observations).run(olderEnd.signal),
    ]
    await sleep(3_000)
    const newer = await start()
    const newerBusy = new Busy('N', newer.client)
    running.push(
      newerBusy.run(newerEnd.signal),
      new Witness(newer.client, newer.observations).run(newerEnd.signal),
    )
    await sleep(8_000)
    olderEnd.abort()
    await sleep(1_000)
    older.dealdeck.kill('SIGTERM')
    await older.dealdeck.ended()
    await sleep(3_000)
    newerEnd.abort()
    await Promise.all(running)

    const stored = new Set((await ask('select asin from deals')).map(({ asin }) => String(asin)))
    const lost = [...olderBusy.acknowledged, ...newerBusy.acknowledged].filter((asin) => !stored.has(asin))
    // What the older one told counts as well for who comes back to the newer; its pages are another version's.
    for (const [id, told] of older.observations.events) newer.observations.events.set(id, told)
    console.log(
      `${olderBusy.pages} and ${newerBusy.pages} pages, ${olderBusy.acknowledged.size} and ${newerBusy.acknowledged.size} imports, ${newer.observations.events.size} events`,
    )
    expect({
      failures: [...olderBusy.failures, ...newerBusy.failures],
      lost,
      problems: [...older.observations.problems, ...newer.observations.problems],
      judged: await judge(newer.client, newer.observations, ask),
      said: newer.dealdeck.errors,
    }).toEqual({ failures: [], lost: [], problems: [], judged: [], said: '' })
    expect(Math.min(olderBusy.acknowledged.size, newerBusy.acknowledged.size)).toBeGreaterThan(10)
  },
)
