import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { percentile, type Seen, searched, watch } from '../../server/testing/bystander.ts'
import type { Attack, Order, Outcome } from '../../server/testing/hostile-member.ts'
import { Client } from './client.ts'
import { either, extent } from './extent.ts'
import { watched } from './figures.ts'
import { Installation } from './installation.ts'
import { restOf, returnsToRest } from './rest.ts'

const connections = either(60, 200)
/** In short nothing is judged by how long it took: an attack has to begin, to be refused and to end. */
const phaseMs = either(1_500, 10_000)
/** Other programs on the machine make any one of them slow. */
const rounds = either(1, 3)

const attacks: Record<string, Pick<Attack, 'kind' | 'hangUpMs'>> = {
  searches: { kind: 'searches' },
  'searches given up': { kind: 'searches', hangUpMs: 50 },
  pages: { kind: 'pages' },
  'pages given up': { kind: 'pages', hangUpMs: 50 },
  'addresses to be read': { kind: 'links' },
  'questions to be explained': { kind: 'explanations' },
  'descriptions of the interface': { kind: 'descriptions' },
}

/** Of these more are asked for than may wait. Bodies and descriptions are looked at one by one: all of a member's connections may wait for that. */
const refused: Attack['kind'][] = ['searches', 'pages']

/** What another member's requests may take while somebody is unfair: milliseconds, and times what they take in quiet. */
const limits = {
  feed: { ms: 100, times: 3 },
  search: { ms: Number.POSITIVE_INFINITY, times: 3 },
  signIn: { ms: 1_500, times: Number.POSITIVE_INFINITY },
}
/** For each of these one 99th percentile a round, and how often the process was not ready, which is judged after a second. */
type Times = Record<keyof typeof limits | 'unready', number[]>
const noTimes = (): Times => ({ feed: [], search: [], signIn: [], unready: [] })
const isUnready = (fault: string) => fault === '503 /readyz'
const kinds = ['feed', 'search', 'signIn'] as const

function note(times: Times, seen: Seen): void {
  for (const kind of kinds) times[kind].push(percentile(0.99, seen[kind]))
  times.unready.push(seen.faults.filter(isUnready).length)
}

/** What takes too long in words: the best round of an attack, beside the median of quiet ones; ready it has to be in all. */
function tooSlow(name: string, attacked: Times, quiet: Times): string[] {
  const slow = kinds.flatMap((kind) => {
    const [best, usual] = [Math.min(...attacked[kind]), percentile(0.5, quiet[kind])]
    const line = `${name}: ${kind} p99 ${best.toFixed(0)} ms, ${usual.toFixed(0)} ms in quiet`
    console.log(`  ${line}`)
    return best > limits[kind].ms || best > limits[kind].times * usual ? [line] : []
  })
  return Math.max(...attacked.unready) > 0 ? [...slow, `${name}: not ready`] : slow
}

const hostileMember = fileURLToPath(new URL('../../server/testing/hostile-member.ts', import.meta.url))
const rowsAtOnce = 20_000
const letters = 'abdefhiklmnoprstuw'

/** The next deals, of which each word that is searched for finds its share. */
function rowsFrom(first: number): object[] {
  const count = Math.min(rowsAtOnce, extent.deals - first)
  return Array.from({ length: count }, (_, at) => first + at).map((n) => ({
    asin: `B0F${n.toString(36).toUpperCase().padStart(7, '0')}`,
    title: `Small ${searched[n % searched.length]} ${letters[n % 18]}${letters[(n >> 4) % 18]}${letters[(n >> 8) % 18]} number ${n}`,
    price: 1 + (n % 50_000) / 100,
    availability: 'In stock',
  }))
}

test(`${connections} requests at once of one member, answered or given up, leave the others and the process in peace`, async () => {
  const installation = await Installation.make({ SAMPLE_DEALS: 'off', ...watched })
  await installation.start()
  const other = await installation.administrator()
  for (let n = 0; n < extent.deals; n += rowsAtOnce)
    expect((await other.import(rowsFrom(n))).kind).toBe('acknowledged')
  const account = { username: 'greedy', password: 'correct horse' }
  await other.change('POST', '/api/users', { ...account, role: 'user' })
  // Not the account whose session is used: of two hundred sessions and more of one the longest unused are ended.
  const newcomer = { username: 'newcomer', password: 'battery staple' }
  await other.change('POST', '/api/users', { ...newcomer, role: 'user' })
  const { origin } = installation
  const { cookie } = await new Client(origin).signIn(account)
  const bystander = { url: origin, cookie: other.cookie, signIn: () => new Client(origin).signIn(newcomer) }
  const worker = fork(hostileMember, { execArgv: [] })
  onTestFinished(() => void worker.kill())
  const tell = (order: Order) => worker.send(order)

  /** What the other member sees while this goes on. */
  const seenDuring = async (attack: Pick<Attack, 'kind' | 'hangUpMs'>) => {
    tell({ origin, cookie, connections, ...attack })
    await sleep(500)
    const seen = await watch(bystander, phaseMs)
    tell({ stop: true })
    // What the worker answers an order to stop with.
    const [outcome] = (await once(worker, 'message')) as [Outcome]
    return { seen, outcome }
  }

  // As a process that has been at work: its heap has the room that it keeps.
  await seenDuring({ kind: 'pages' })
  await sleep(either(1_000, 10_000))
  const before = await restOf(installation)
  const quiet = noTimes()
  const attacked = new Map(Object.keys(attacks).map((name) => [name, noTimes()]))
  for (let round = 0; round < rounds; round++) {
    note(quiet, await watch(bystander, phaseMs))
    for (const [name, attack] of Object.entries(attacks)) {
      const { seen, outcome } = await seenDuring(attack)
      console.log(`${name}: ${JSON.stringify(outcome)}`)
      expect(seen.faults.filter((fault) => !isUnready(fault))).toEqual([])
      // A refusal comes a second late, and whoever gave up much before waits five: a short attack may be over by then.
      if (!extent.isShort && refused.includes(attack.kind))
        expect(outcome.statuses[429] ?? outcome.givenUp, 'some are refused').toBeGreaterThan(0)
      expect(Object.keys(outcome.statuses).filter((status) => !['200', '429'].includes(status))).toEqual([])
      note(attacked.get(name) ?? noTimes(), seen)
      console.log(`at rest: ${await returnsToRest(installation, before)}`)
    }
  }
  const slow = [...attacked].flatMap(([name, times]) => tooSlow(name, times, quiet))
  if (!extent.isShort) expect(slow).toEqual([])
  expect(installation.process?.output).not.toMatch(/"level":[56]0/)
})
