import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabases } from '../../server/src/platform/database/database.ts'
import { runImport, timeCopy, writeDeals } from './import.ts'
import { fewPoints, fillPoints } from './prices.ts'
import { atLeast, median, type Report } from './report.ts'
import { makeFolder, startScratch, type Workshop, withClient } from './scratch.ts'

/** What imports of deals cost that have a history: one that changes all prices, and the same rows again. */
export async function measurePriceImports({ rows }: Workshop): Promise<Report> {
  const filled = await startScratch(rows)
  try {
    const databases = openDatabases(filled.url, () => {})
    await fillPoints(databases).finally(() => databases.close())
    const { copied, changed, again } = await timeImports(rows, filled.url)
    const unchanged = median(again)
    return {
      title: `Imports of ${rows.toLocaleString('en-US')} deals with ${fewPoints} prices each`,
      figures: [
        atLeast(
          'import of new prices ÷ COPY of as many deals, rows/s',
          copied / changed,
          0.6,
          '×',
          `${Math.round(rows / changed)} rows/s`,
        ),
        atLeast(
          'import of the same rows again',
          rows / unchanged,
          40_000,
          'rows/s',
          `${(copied / unchanged).toFixed(1)} × COPY of as many deals; ${again.map((seconds) => Math.round(rows / seconds)).join(', ')}`,
        ),
      ],
      details: { copied, changed, again },
    }
  } finally {
    await filled.stop()
  }
}

/**
 * Seconds of an import that changes the price of all deals, of the same again as a poll does it time after time, and of COPY of as many
 * into an empty table.
 */
async function timeImports(rows: number, url: string) {
  const folder = await makeFolder()
  try {
    const file = join(folder, 'deals.ndjson')
    await writeDeals(file, rows, 0.9)
    const copied = await timeCopy(rows)
    const changed = await runImport(file, url)
    // What the database does by itself after so many changes would be at work beside the next import.
    await withClient(url, (client) => client.query('vacuum (analyze) deals, price_points'))
    const again: number[] = []
    while (again.length < 3) again.push((await runImport(file, url)).seconds)
    return { copied, changed: changed.seconds, again }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
