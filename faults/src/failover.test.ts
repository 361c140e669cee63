import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startDealdeck } from '../../server/testing/dealdeck-process.ts'
import { DebianPostgres, hasDebianPostgres, urlOf } from '../../server/testing/debian-postgres.ts'
import { Client } from './client.ts'
import { either, extent } from './extent.ts'
import { boss } from './installation.ts'
import { eventsOf } from './stream-reader.ts'

const promotions = either(1, 10)
/** Each of them reads pages and listens to a stream; of one member there may be so many. */
const readers = either(20, 200)
const readersOfOne = 20
/** Who import, the rows of one import, and the pause after each: some 300 changes a second. */
const [writers, rowsAtOnce, pauseMs] = [3, 20, 100]
/** How long nobody has noticed that the primary is gone, in milliseconds. */
const unnoticedMs = 500
/** Against waiting for good. */
const patienceMs = 20_000
/** Where there are writers all the time, so many rows a second are acknowledged. */
const leastRate = 200

/** When each thing was there for the first time, in milliseconds after the primary was killed. */
type Timeline = Record<'away' | 'promoted' | 'primary' | 'found' | 'read' | 'write' | 'told', number>

/** The group at work: what was acknowledged, and when something last succeeded. */
class Load {
  readonly acknowledged: string[] = []
  readonly problems: string[] = []
  lastRead = 0
  lastWrite = 0
  /** When each stream brought something last. */
  readonly #heard: number[] = []
  uncertain = 0
  #next = 0
  readonly #administrator: Client
  readonly #members: readonly Client[]

  constructor(administrator: Client, members: readonly Client[]) {
    this.#administrator = administrator
    this.#members = members
  }

  async run(signal: AbortSignal): Promise<void> {
    const all = Array.from({ length: writers }, () => this.#write(signal))
    for (const member of this.#members)
      for (let reader = 0; reader < readersOfOne; reader++)
        all.push(this.#read(member, signal), this.#listen(member, signal))
    await Promise.all(all)
  }

  /** How many rows a second are acknowledged while so many milliseconds pass. */
  async rateIn(ms: number): Promise<number> {
    const before = this.acknowledged.length
    await sleep(ms)
    return Math.round((this.acknowledged.length - before) / (ms / 1_000))
  }

  async #write(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const asins = Array.from({ length: rowsAtOnce }, () => {
        this.#next += 1
        return `B0F${this.#next.toString(36).toUpperCase().padStart(7, '0')}`
      })
      const begun = performance.now()
      const outcome = await this.#administrator.import(
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

  /** Since when every stream has brought something, in milliseconds. */
  get heardByAll(): number {
    return Math.min(...this.#heard)
  }

  async #read(member: Client, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const begun = performance.now()
      const answer = await member.get('/api/products?limit=20')
      await answer.arrayBuffer()
      if (answer.ok) this.lastRead = begun
      else if (answer.status !== 503) this.problems.push(`A read was answered with ${answer.status}`)
      await sleep(250)
    }
  }

  /** A stream that comes back from where it was: each revision once, in order, or a word that all is to be fetched. */
  async #listen(member: Client, signal: AbortSignal): Promise<void> {
    const stream = this.#heard.push(0) - 1
    let lastId: string | undefined
    let last: number | undefined
    while (!signal.aborted) {
      for await (const event of eventsOf(member, signal, lastId)) {
        lastId = /^id: (.*)$/m.exec(event)?.[1] ?? lastId
        const [, name, stated] = /^event: (deals|reset)\ndata: \{"revision":(\d+)/m.exec(event) ?? []
        if (name === undefined) continue
        const revision = Number(stated)
        if (name === 'deals' && last !== undefined && revision !== last + 1)
          this.problems.push(`Revision ${revision} came after ${last}`)
        last = revision
        this.#heard[stream] = performance.now()
      }
      await sleep(100)
    }
  }
}

/** As many members as the readers need, each signed in. */
async function membersOf(administrator: Client): Promise<Client[]> {
  const numbers = Array.from({ length: readers / readersOfOne }, (_, at) => at)
  return Promise.all(
    numbers.map(async (number) => {
      const account = { username: `reader${number}`, password: 'correct horse' }
      await administrator.change('POST', '/api/users', { ...account, role: 'user' })
      return new Client(administrator.origin).signIn(account)
    }),
  )
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
  await standby.confirmBy([])
  await standby.promote()
  const promoted = performance.now()
  const there = await when(async () => {
    const [row] = await standby.query<{ is_standby: boolean }>('select pg_is_in_recovery() as is_standby')
    return row?.is_standby === false
  })
  const found = await when(isReady)
  const read = await when(() => load.lastRead > promoted)
  const write = await when(() => load.lastWrite > promoted)
  const told = await when(() => load.heardByAll > promoted)
  const since = (ms: number) => Math.round(ms - killed)
  return {
    ...{ away: since(away), promoted: since(promoted), primary: since(there) },
    ...{ found: since(found), read: since(read), write: since(write), told: since(told) },
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
    const administrator = await new Client(origin).signIn(boss)
    const load = new Load(administrator, await membersOf(administrator))
    const ended = new AbortController()
    const running = load.run(ended.signal)
    const timelines: Timeline[] = []
    const rates: number[] = []
    for (let promotion = 1; promotion <= promotions; promotion++) {
      await primary.confirmBy(['one', 'two'])
      rates.push(await load.rateIn(either(1_000, 3_000)))
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
    console.log(`Rows a second before each: ${rates.join(', ')}`)
    console.log(
      `${load.acknowledged.length} rows were acknowledged, ${load.uncertain} imports had no clear answer`,
    )
    if (extent.isShort) return
    expect(Math.min(...rates)).toBeGreaterThanOrEqual(leastRate)
    for (const { primary: there, found, read, write } of timelines) {
      expect(found - there).toBeLessThan(1_000)
      expect(Math.max(read, write) - there).toBeLessThan(2_000)
    }
  },
)
