import { setTimeout as sleep } from 'node:timers/promises'
import { type ImportRow, importDeals, newDeals } from './application.ts'
import { importByCommand, untilAtRest, type Version, vacuumForGood } from './one-version.ts'
import type { Sides, Taken } from './ratios.ts'
import { median } from './report.ts'
import { rateOfPages } from './request-rate.ts'

const firstPage = '/api/products'
const connections = 16
/** Rounds of requests at once, after a few that only warm up. */
const rounds = { turns: 20, warmUp: 5 }
const unchangedPerRound = 3_200
const cachedPerRound = 2_400
const uncachedPerRound = 400
/** Imports of one row, one after the other. */
const singles = { turns: 240, warmUp: 40 }
/** What follows a change by itself counts with it. */
const afterMs = 500
const mostCursors = 20

/** How often either side works, after how often only to warm up, and how many requests that is each time. */
type Turns = { turns: number; warmUp: number; requests?: number }

/** Files to import: all deals, and a few of them. */
export type Files = { all: string; warmUp: string }

/**
 * Takes reads and imports of two versions with the same empty databases, by turns: whatever else the machine does, it does to
 * both. `first` goes first, and second the next time.
 */
export async function takeByTurns(
  sides: Sides<Version>,
  files: Files,
  rows: number,
  first: number,
): Promise<Taken[]> {
  const imported = await takeImport(sides, files, rows, first)
  const read = await takeReads(sides, first)
  const changed = await takeSingles(sides, first)
  return [...read, ...changed, imported]
}

async function takeImport(sides: Sides<Version>, files: Files, rows: number, first: number): Promise<Taken> {
  const found: Sides<{ time: number; processor: number }> = [
    { time: 0, processor: 0 },
    { time: 0, processor: 0 },
  ]
  for (const at of orderOf(first)) await importByCommand(sides[at], files.warmUp)
  for (const at of orderOf(first)) found[at] = await importByCommand(sides[at], files.all)
  for (const at of orderOf(first)) await vacuumForGood(sides[at])
  return {
    name: `an import of ${rows.toLocaleString('en-US')} rows by the command`,
    times: { '': [found[0].time, found[1].time] },
    processor: [found[0].processor, found[1].processor],
  }
}

/** Pages, with sixteen connections at once: the time is what each takes of the round. */
async function takeReads(sides: Sides<Version>, first: number): Promise<Taken[]> {
  const many = (rounds.turns + rounds.warmUp) * uncachedPerRound
  const pages: Sides<string[]> = [await pagesOf(sides[0], many), await pagesOf(sides[1], many)]
  const tags: Sides<string> = [await tagOf(sides[0]), await tagOf(sides[1])]
  const gzip = { 'accept-encoding': 'gzip' }
  const kinds: Read[] = [
    {
      ...{ name: 'the first page, answered with 304', requests: unchangedPerRound, status: 304 },
      ...{ paths: () => [firstPage], headers: (at) => ({ 'if-none-match': tags[at] }) },
    },
    {
      ...{ name: 'the same page again', requests: cachedPerRound, status: 200 },
      ...{ paths: () => [firstPage], headers: () => gzip },
    },
    {
      ...{ name: 'a page that nothing has cached', requests: uncachedPerRound, status: 200 },
      ...{ paths: (at) => pages[at].splice(0, uncachedPerRound), headers: () => gzip },
    },
  ]
  const taken: Taken[] = []
  for (const { name, requests, status, paths, headers } of kinds) {
    const once = async (at: 0 | 1) => {
      const { app, readers } = sides[at]
      const options = { connections, amount: requests, status, cookies: readers }
      return [1000 / (await rateOfPages(app.url, paths(at), headers(at), options)).perSecond]
    }
    taken.push(await take(sides, first, { name, turns: { ...rounds, requests }, once }))
  }
  return taken
}

/** Pages asked for at once; each round takes other paths where the function returns others. */
type Read = {
  name: string
  requests: number
  status: 200 | 304
  paths(at: 0 | 1): string[]
  headers(at: 0 | 1): Record<string, string>
}

/** One row at a time over HTTP: new, the same again, with another price. Throws when one did something else. */
async function takeSingles(sides: Sides<Version>, first: number): Promise<Taken[]> {
  const rows = newDeals(singles.turns + singles.warmUp)
  const dearer = rows.map((row) => ({ ...row, price: Number((Number(row.price) + 1.11).toFixed(2)) }))
  const takeRows = (name: string, given: ImportRow[], expected: number) => {
    const once = async (at: 0 | 1, turn: number) => {
      const { app, admin } = sides[at]
      const { changes, ms } = await importDeals(app.url, admin, given.slice(turn, turn + 1))
      if (changes !== expected) throw new Error(`${name} changed ${changes} deals instead of ${expected}`)
      return [ms]
    }
    return take(sides, first, { name, turns: singles, once })
  }
  return [
    await takeRows('an import of one new row', rows, 1),
    await takeRows('the same row again', rows, 0),
    await takeRows('a new price of one row', dearer, 1),
  ]
}

export const orderOf = (first: number): (0 | 1)[] => (first % 2 === 0 ? [0, 1] : [1, 0])

/** What one turn does on a side; it returns the milliseconds of each of its times, of which there is one without a name. */
type Work = {
  name: string
  times?: string[]
  turns: Turns
  /** `turn` counts from zero, those that warm up included. */
  once(at: 0 | 1, turn: number): Promise<number[]>
}

/** Does the work on either side by turns; each time is the median, and processor time is for one request. */
export async function take(
  sides: Sides<Version>,
  first: number,
  { name, times: timeNames = [''], turns: { turns, warmUp, requests = 1 }, once }: Work,
): Promise<Taken> {
  const used = (): Promise<[number, number]> =>
    Promise.all([sides[0].processorSeconds(), sides[1].processorSeconds()])
  await Promise.all(sides.map(untilAtRest))
  const times: Sides<number[][]> = [[], []]
  let before = await used()
  for (let turn = 0; turn < warmUp + turns; turn++) {
    if (turn === warmUp) before = await used()
    for (const at of orderOf(first + turn)) {
      const found = await once(at, turn)
      if (turn >= warmUp) times[at].push(found)
    }
  }
  await sleep(afterMs)
  const after = await used()
  const middle = (at: 0 | 1, nth: number) => median(times[at].map((found) => found[nth] ?? Number.NaN))
  const perRequest = (at: 0 | 1) => ((after[at] - before[at]) * 1000) / (turns * requests)
  return {
    name,
    times: Object.fromEntries(timeNames.map((time, nth) => [time, [middle(0, nth), middle(1, nth)]])),
    processor: [perRequest(0), perRequest(1)],
  }
}

async function tagOf({ app, readers }: Version): Promise<string> {
  const response = await fetch(app.url + firstPage, { headers: { cookie: readers[0] ?? '' } })
  await response.arrayBuffer()
  return response.headers.get('etag') ?? ''
}

/** Paths of pages all over the list, no two with the same price limit, by cursors of the version itself. */
async function pagesOf({ app, readers }: Version, count: number): Promise<string[]> {
  const cursors: string[] = []
  let next: string | null = ''
  while (next !== null && cursors.length < mostCursors) {
    cursors.push(next)
    const cursor = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`
    const response: Response = await fetch(`${app.url}${firstPage}?limit=1000${cursor}`, {
      headers: { cookie: readers[cursors.length % readers.length] ?? '' },
    })
    if (!response.ok) throw new Error(`A page answered ${response.status}: ${await response.text()}`)
    // The contract's DealPage, of which both versions have this.
    next = ((await response.json()) as { next_cursor: string | null }).next_cursor
  }
  return Array.from({ length: count }, (_, index) => {
    const cursor = cursors[index % cursors.length] ?? ''
    const place = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    return `${firstPage}?limit=50&max_price=${((3_000 + index) / 100).toFixed(2)}${place}`
  })
}
