import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { copyDeals } from './filled-table.ts'
import { madeDeals } from './made-deals.ts'
import { peakMemory, runScript } from './processes.ts'
import { atLeast, atMost, type Figure, type Report } from './report.ts'
import { makeFolder, startScratch, type Workshop, withClient } from './scratch.ts'

/** What the file leaves out is said with the command. */
export const importOptions = ['--availability', 'In stock']

type Import = { seconds: number; peakBytes: number; said: string }

/**
 * Imports a file through the command, then the same file again; beside it, COPY of the same rows into a table of the
 * same structure with the same indexes, which is the least that any import could take.
 */
export async function measureImport(workshop: Workshop): Promise<Report> {
  const { rows } = workshop
  const folder = await makeFolder()
  const file = join(folder, 'deals.ndjson')
  try {
    await writeDeals(file, rows)
    const copySeconds = await timeCopy(rows)
    const scratch = await startScratch(0)
    try {
      const first = await runImport(file, scratch.url)
      const again = await runImport(file, scratch.url)
      const counts = await countRows(scratch.url)
      return reportOf(rows, first, again, copySeconds, counts)
    } finally {
      await scratch.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function reportOf(rows: number, first: Import, again: Import, copySeconds: number, counts: Counts): Report {
  const megabytes = (bytes: number) => bytes / 1_000_000
  const figures: Figure[] = [
    atLeast('import', rows / first.seconds, 15_000, 'rows/s'),
    { name: 'COPY into the same table and indexes', value: rows / copySeconds, unit: 'rows/s' },
    { name: 'import / COPY, time', value: first.seconds / copySeconds, unit: '×' },
    atMost('highest resident memory of the command', megabytes(first.peakBytes), 300, 'MB'),
    { name: 'the same file again', value: rows / again.seconds, unit: 'rows/s' },
    atMost('its highest resident memory', megabytes(again.peakBytes), 300, 'MB'),
    atMost('deals missing after both', rows - counts.deals, 0, ''),
    atMost('price points beside one a deal', counts.points - counts.deals, 0, ''),
    atMost('deals written by the second import', counts.rewritten, 0, ''),
  ]
  return {
    title: `Import of ${rows.toLocaleString('en-US')} rows`,
    figures,
    details: { first, again, copySeconds, counts },
  }
}

/** Imports a file through the command. Throws where that fails. */
export async function runImport(file: string, url: string): Promise<Import> {
  const begin = performance.now()
  const child = runScript('cli', ['import', file, ...importOptions], {
    DATABASE_URL: url,
    LOG_LEVEL: 'error',
  })
  let said = ''
  for (const output of [child.stdout, child.stderr]) {
    output?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000)
    })
  }
  const peakBytes = await peakMemory(child)
  if (child.exitCode !== 0) throw new Error(`The import ended with ${child.exitCode}: ${said}`)
  return { seconds: (performance.now() - begin) / 1000, peakBytes, said }
}

async function timeCopy(rows: number): Promise<number> {
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
