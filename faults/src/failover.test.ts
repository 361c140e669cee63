import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startDealdeck } from '../../server/testing/dealdeck-process.ts'
import { DebianPostgres, hasDebianPostgres, urlOf } from '../../server/testing/debian-postgres.ts'
import { Client } from './client.ts'
import { either, extent } from './extent.ts'
import { boss } from './installation.ts'
import { eventsOf } from './stream-reader.ts'

const promotions = either(1, 10)
const readers = either(20, 200)
/** Rows of one import, and the pause after each: with two who import, some 200 changes a second. */
const [rowsAtOnce, pauseMs] = [20, 150]
/** How long nobody has noticed that the primary is gone, in milliseconds. */
const unnoticedMs = 500
/** Against waiting for good. */
const patienceMs = 20_000

/** When each thing was there for the first time, in milliseconds after the primary was killed. */
type Timeline = Record<'away' | 'promoted' | 'primary' | 'read' | 'write' | 'told', number>

/** The group at work: what was acknowledged, and when something last succeeded. */
class Load {
  readonly acknowledged: string[] = []
  readonly problems: string[] = []
  lastRead = 0
  lastWrite = 0
  lastEvent = 0
  uncertain = 0
  #next = 0
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  async run(signal: AbortSignal): Promise<void> {
    const all = [this.#write(signal), this.#write(signal), this.#listen(signal)]
    for (let reader = 0; reader < readers; reader++) all.push(this.#read(signal))
    await Promise.all(all)
  }

  async #write(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const asins = Array.from({ length: rowsAtOnce }, () => {
        this.#next += 1
        return `B0F${this.#next.toString(36).toUpperCase().padStart(7, '0')}`
      })
      const begun = performance.now()
      const outcome = await this.#client.import(
        asins.map((asin) => ({ asin, title: `Kettle ${asin}`, price: 9, availability: 'In stock' })),
      )
      if (outcome.kind === 'acknowledged') {
        this.acknowledged.push(...asins)
        this.lastWrite = begun
      } else if (outcome.kind === 'unknown') this.uncertain += 1
      else this.problems.push(`An import was refused: ${JSON.stringify(outcome)}`)
      await sleep(outcome.kind === 'acknowledged' ? pauseMs : 25)
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const begun = performance.now()
      const answer = await this.#client.get('/api/products?limit=20')
      await answer.arrayBuffer()
      if (answer.ok) this.lastRead = begun
      else if (answer.status !== 503) this.problems.push(`A read was answered with ${answer.status}`)
      await sleep(250)
    }
  }

  /** A stream that comes back from where it was: each revision once, in order, or a word that all is to be fetched. */
  async #listen(signal: AbortSignal): Promise<void> {
    let lastId: string | undefined
    let last: number | undefined
    while (!signal.aborted) {
      for await (const event of eventsOf(this.#client, signal, lastId)) {
        lastId = /^id: (.*)$/m.exec(event)?.[1] ?? lastId
        const [, name, data = ''] = /^event: (deals|reset)\ndata: (.*)$/m.exec(event) ?? []
        if (name === undefined) continue
        const { revision } = JSON.parse(data)
        if (name === 'deals' && last !== undefined && revision !== last + 1)
          this.problems.push(`Revision ${revision} came after ${last}`)
        last = revision
        this.lastEvent = performance.now()
      }
      await sleep(100)
    }
  }
}

/** Waits until it is so; returns when that was. */
async function when(isSo: () => Promise<boolean> | boolean): Promise<number> {
  const end = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`Not so after ${patienceMs} ms: ${isSo}`)
    await sleep(5)
  }
  return performance.now()
}

async function confirmsBy(primary: DebianPostgres, names: string): Promise<void> {
  await primary.query(`alter system set synchronous_standby_names = '${names}'`)
  await primary.query('select pg_reload_conf()')
}

/** The primary dies in the middle of it, the standby is promoted, and the group works on. */
async function failOver(
  primary: DebianPostgres,
  standby: DebianPostgres,
  origin: string,
  load: Load,
): Promise<Timeline> {
  const isReady = async () => (await fetch(`${origin}/readyz`)).ok
  const killed = performance.now()
  await primary.end('SIGQUIT')
  const away = await when(async () => !(await isReady()))
  await sleep(Math.max(0, unnoticedMs - (performance.now() - killed)))
  // Else nobody would be there to confirm what it commits.
  await confirmsBy(standby, '')
  await standby.promote()
  const promoted = performance.now()
  const there = await when(async () => {
    const [row] = await standby.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby')
    return row?.is_standby === false
  })
  const read = await when(() => load.lastRead > promoted)
  const write = await when(() => load.lastWrite > promoted)
  const told = await when(() => load.lastEvent > promoted)
  const since = (ms: number) => Math.round(ms - killed)
  return {
    ...{ away: since(away), promoted: since(promoted), primary: since(there) },
    ...{ read: since(read), write: since(write), told: since(told) },
  }
}

test.runIf(hasDebianPostgres)(
  `${promotions} promotions of a standby under writers and ${readers} readers: what was acknowledged is there, and all goes on`,
  async () => {
    let primary = await (await DebianPostgres.make()).start().isUp()
    let standby = await primary.standby('two')
    const dealdeck = startDealdeck({
      DATABASE_URL: `${urlOf(primary.host, standby.host)}&target_session_attrs=read-write`,
      ...{ ADMIN_USERNAME: boss.username, ADMIN_PASSWORD: boss.password, LOG_LEVEL: 'warn' },
    })
    const origin = await dealdeck.address()
    const load = new Load(await new Client(origin).signIn(boss))
    const ended = new AbortController()
    const running = load.run(ended.signal)
    const timelines: Timeline[] = []
    for (let promotion = 1; promotion <= promotions; promotion++) {
      await confirmsBy(primary, 'one,two')
      await sleep(either(1_000, 3_000))
      timelines.push(await failOver(primary, standby, origin, load))
      await sleep(500)
      if (promotion === promotions) break
      await primary.copyFrom(standby)
      await primary.start().isUp()
      ;[primary, standby] = [standby, primary]
    }
    ended.abort()
    await running
    const there = await standby.query<{ asin: string }>('select asin from deals')
    const asins = new Set(there.map(({ asin }) => asin))
    expect(load.acknowledged.filter((asin) => !asins.has(asin))).toEqual([])
    expect(load.problems).toEqual([])
    expect(dealdeck.output).not.toContain('Work in the background fails')
    console.table(timelines)
    console.log(
      `${load.acknowledged.length} rows were acknowledged, ${load.uncertain} imports had no clear answer`,
    )
    if (extent.isShort) return
    for (const { primary: there, read, write } of timelines) {
      expect(read - there).toBeLessThan(2_000)
      expect(write - there).toBeLessThan(2_000)
    }
  },
)
