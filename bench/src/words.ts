import { setTimeout as sleep } from 'node:timers/promises'
import { foldText } from '@dealdeck/query/folding'
import { signIn, startApplication } from './application.ts'
import { beside } from './beside.ts'
import { atMost, median, type Report } from './report.ts'
import { type Workshop, withClient } from './scratch.ts'

const rounds = 5
const hiddenDeals = 10_000
const readers = 4
const restMs = 1_500
const previewed = ['light', 'e', '10', 'zq', 'steel water bottle', 'zorblax1']

/**
 * A word that hides 10,000 deals is added and removed over HTTP, while others page through the feed without pause; and
 * how long the preview of a word takes, rare and common.
 */
export async function measureWords(workshop: Workshop): Promise<Report> {
  const { url } = await workshop.filled(workshop.rows)
  await markDeals(url, workshop.rows)
  const app = await startApplication(url)
  try {
    const call = await callerOf(app.url)
    const previews: { word: string; ms: number }[] = []
    for (const word of previewed) {
      const times: number[] = []
      for (let run = 0; run < 5; run += 1)
        times.push((await call('GET', `/preview?word=${encodeURIComponent(word)}`)).ms)
      previews.push({ word, ms: median(times) })
    }
    const reads: Read[] = []
    const added: number[] = []
    const removed: number[] = []
    const spans: [start: number, end: number][] = []
    await beside(readersOf(app.url, call.headers, reads), async () => {
      for (let round = 1; round <= rounds; round += 1) {
        await sleep(restMs)
        const start = performance.now()
        const { ms, body } = await call('POST', '', { word: `zorblax${round}` })
        spans.push([start, performance.now()])
        added.push(ms)
        if (body.hidden !== hiddenDeals) throw new Error(`A word hid ${body.hidden} deals`)
        removed.push((await call('DELETE', `/${body.id}`)).ms)
      }
    })
    return reportOf({ added, removed, previews, ...splitReads(reads, spans) }, workshop.rows)
  } finally {
    await app.stop()
  }
}

type Read = { start: number; ms: number }
type Found = {
  added: number[]
  removed: number[]
  previews: { word: string; ms: number }[]
  during: number[]
  otherwise: number[]
}

function reportOf(found: Found, rows: number): Report {
  const { added, removed, previews, during, otherwise } = found
  const slowest = previews.toSorted((a, b) => b.ms - a.ms)[0]
  return {
    title: `Words among ${rows.toLocaleString('en-US')} deals, ${readers} readers meanwhile`,
    figures: [
      atMost(
        `adding a word that hides ${hiddenDeals}`,
        Math.max(...added) / 1000,
        1,
        's',
        `slowest of ${rounds}`,
      ),
      atMost('a feed page meanwhile', Math.max(...during), 500, 'ms max', `${during.length} pages`),
      { name: 'a feed page otherwise', value: median(otherwise), unit: 'ms p50' },
      { name: 'removing that word', value: Math.max(...removed) / 1000, unit: 's', note: 'the slowest' },
      atMost('previewing a word', slowest?.ms ?? 0, 1_000, 'ms p50', `slowest: '${slowest?.word}'`),
    ],
    details: { added, removed, previews, during },
  }
}

/** Gives 10,000 deals, spread over all of them, a word of their own, for each round. */
async function markDeals(url: string, rows: number): Promise<void> {
  const step = Math.floor(rows / hiddenDeals)
  await withClient(url, async (client) => {
    for (let round = 1; round <= rounds; round += 1) {
      const mark = ` zorblax${round}`
      const { rowCount } = await client.query(
        `update deals set title = title || $1, title_folded = title_folded || $2 where id in (
           select id from deals where is_visible and id % $3 = $4 limit $5)`,
        [mark, foldText(mark), step, round % step, hiddenDeals],
      )
      const missing = hiddenDeals - (rowCount ?? 0)
      if (missing === 0) continue
      await client.query(
        `update deals set title = title || $1, title_folded = title_folded || $2 where id in (
           select id from deals where is_visible and id % $3 = $4 limit $5)`,
        [mark, foldText(mark), step, (round + rounds) % step, missing],
      )
    }
    await client.query('vacuum (analyze) deals, title_words')
  })
}

async function callerOf(origin: string) {
  const headers = { origin, cookie: await signIn(origin) }
  const call = async (method: string, path: string, body?: object) => {
    const start = performance.now()
    const answer = await fetch(`${origin}/api/blacklisted_words${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    const known: { id?: number; hidden?: number } = text === '' ? {} : JSON.parse(text)
    return { ms: performance.now() - start, body: known }
  }
  return Object.assign(call, { headers })
}

/** What each reader does over and over: reads a page with a price limit of its own, so that none is cached. */
function readersOf(origin: string, headers: Record<string, string>, reads: Read[]): (() => Promise<void>)[] {
  let cents = 500
  return Array.from({ length: readers }, () => async () => {
    const start = performance.now()
    cents += 1
    const answer = await fetch(`${origin}/api/products?max_price=${cents / 100}`, { headers })
    if (!answer.ok) throw new Error(`A page answered ${answer.status}`)
    await answer.arrayBuffer()
    reads.push({ start, ms: performance.now() - start })
    await sleep(20)
  })
}

function splitReads(reads: Read[], spans: [number, number][]): Pick<Found, 'during' | 'otherwise'> {
  const isDuring = ({ start, ms }: Read) => spans.some(([from, to]) => start < to && start + ms > from)
  return {
    during: reads.filter(isDuring).map(({ ms }) => ms),
    otherwise: reads.filter((read) => !isDuring(read)).map(({ ms }) => ms),
  }
}
