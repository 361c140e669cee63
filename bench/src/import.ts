import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { copyDeals } from './filled-table.ts'
import { madeDeals } from './made-deals.ts'
import { lastWordsOf, peakMemory, runScript } from './processes.ts'
import { atLeast, atMost, type Figure, median, type Report } from './report.ts'
import { makeFolder, startScratch, type Workshop, withClient } from './scratch.ts'

/** What the file leaves out is said with the command. */
export const importOptions = ['--availability', 'In stock']

type Import = { seconds: number; peakBytes: number; said: string }

/** Above so many rows one turn is long enough for a machine's moods to even out; below it three are taken. */
const longRows = 300_000

type Turn = { first: Import; again: Import; copySeconds: number; counts: Counts }

/**
 * Imports a file through the command, then the same file again; beside it, COPY of the same rows into a table of the
 * same structure with the same indexes, which is the least that any import could take. Turn by turn, of which the
 * middle counts.
 */
export async function measureImport(workshop: Workshop): Promise<Report> {
  const { rows } = workshop
  const folder = await makeFolder()
  const file = join(folder, 'deals.ndjson')
  try {
    await writeDeals(file, rows)
    const turns: Turn[] = []
    for (let left = rows > longRows ? 1 : 3; left > 0; left -= 1) turns.push(await takeTurn(file, rows))
    return reportOf(rows, turns)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function takeTurn(file: string, rows: number): Promise<Turn> {
  const copySeconds = await timeCopy(rows)
  const scratch = await startScratch(0)
  try {
    const first = await runImport(file, scratch.url)
    const again = await runImport(file, scratch.url)
    return { first, again, copySeconds, counts: await countRows(scratch.url) }
  } finally {
    await scratch.stop()
  }
}

function reportOf(rows: number, turns: Turn[]): Report {
  const middle = (of: (turn: Turn) => number) => median(turns.map(of))
  const most = (of: (turn: Turn) => number) => Math.max(...turns.map(of))
  const ratios = turns.map(({ first, copySeconds }) => copySeconds / first.seconds)
  const megabytes = (bytes: number) => bytes / 1_000_000
  const figures: Figure[] = [
    atLeast(
      'import',
      middle(({ first }) => rows / first.seconds),
      15_000,
      'rows/s',
    ),
    {
      name: 'COPY into the same table and indexes',
      value: middle((turn) => rows / turn.copySeconds),
      unit: 'rows/s',
    },
    {
      ...atLeast('import ÷ COPY, rows/s', median(ratios), 0.85, '×'),
      note: ratios.map((ratio) => ratio.toFixed(2)).join(', '),
    },
    atMost(
      'highest resident memory of the command',
      most(({ first }) => megabytes(first.peakBytes)),
      300,
      'MB',
    ),
    { name: 'the same file again', value: middle(({ again }) => rows / again.seconds), unit: 'rows/s' },
    atMost(
      'its highest resident memory',
      most(({ again }) => megabytes(again.peakBytes)),
      300,
      'MB',
    ),
    atMost(
      'deals missing after both',
      most(({ counts }) => rows - counts.deals),
      0,
      '',
    ),
    atMost(
      'price points beside one a deal',
      most(({ counts }) => counts.points - counts.deals),
      0,
      '',
    ),
    atMost(
      'deals written by the second import',
      most(({ counts }) => counts.rewritten),
      0,
      '',
    ),
  ]
  return { title: `Import of ${rows.toLocaleString('en-US')} rows`, figures, details: { turns } }
}

/** Imports a file through the command. Throws where that fails. */
export async function runImport(file: string, url: string): Promise<Import> {
  const begin = performance.now()
  const child = runScript('cli', ['import', file, ...importOptions], {
    DATABASE_URL: url,
    LOG_LEVEL: 'error',
  })
  const said = lastWordsOf(child)
  const peakBytes = await peakMemory(child)
  if (child.exitCode !== 0) throw new Error(`The import ended with ${child.exitCode}: ${said()}`)
  return { seconds: (performance.now() - begin) / 1000, peakBytes, said: said() }
}

/** Seconds of COPY of as many made deals into an empty table with all indexes. */
export async function timeCopy(rows: number): Promise<number> {
  const scratch = await startScratch(0)
  try {
    return await withClient(scratch.url, async (client) => {
      const begin = performance.now()
      await copyDeals(client, 'deals', rows)
      return (performance.now() - begin) / 1000
    })
  } finally {
    await scratch.stop()
  }
}

type Counts = { deals: number; points: number; rewritten: number }

async function countRows(url: string): Promise<Counts> {
  return withClient(url, async (client) => {
    // A row that was written twice carries a later transaction than the one that wrote its price point.
    const { rows } = await client.query<Record<keyof Counts, string | number>>(
      `select (select count(*) from deals) as deals, (select count(*) from price_points) as points,
              (select count(*) from deals d join price_points p on p.deal_id = d.id where d.xmin <> p.xmin) as rewritten`,
    )
    const [counts] = rows
    return {
      deals: Number(counts?.deals ?? 0),
      points: Number(counts?.points ?? 0),
      rewritten: Number(counts?.rewritten ?? 0),
    }
  })
}

/** Writes a file to import, with prices so many times what they are made as. */
export async function writeDeals(file: string, rows: number, times = 1): Promise<void> {
  await pipeline(Readable.from(ndjsonChunks(rows, times)), createWriteStream(file))
}

function* ndjsonChunks(rows: number, times: number): Generator<string> {
  let chunk = ''
  for (const { availability: _stated, ...deal } of madeDeals(rows)) {
    const price = Math.round(deal.price * times * 100) / 100
    chunk += `${JSON.stringify({ ...deal, price })}\n`
    if (chunk.length < 60_000) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}
