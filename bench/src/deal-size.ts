import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { refreshVerdicts } from '../../server/src/features/prices/actions.ts'
import { noPauses } from '../../server/src/features/prices/refresh-pauses.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import { openDatabases } from '../../server/src/platform/database/database.ts'
import { readSettings } from '../../server/src/platform/settings.ts'
import { startWith } from './application.ts'
import { runImport, writeDeals } from './import.ts'
import { lastWordsOf, memoryOf, runScript } from './processes.ts'
import type { Figure, Report } from './report.ts'
import { makeFolder, startScratch, type Workshop, withClient } from './scratch.ts'
import { untilIndexed } from './searches.ts'

/** Imports in which every price is another, after the first. */
const changes = 4
const restMs = 10_000
const settings = readSettings({})

/** What a million deals take: of disk, as imported and judged, once and again changed, and as a backup; and of memory, to search them. */
export async function measureDealSize({ rows }: Workshop): Promise<Report> {
  const folder = await makeFolder()
  const file = join(folder, 'deals.ndjson')
  const scratch = await startScratch(0)
  const perMillion = (bytes: number) => ((bytes / rows) * 1_000_000) / 1_000_000_000
  try {
    const sizes: number[] = []
    for (let change = 0; change <= changes; change++) {
      await writeDeals(file, rows, 1 - change / 50)
      await runImport(file, scratch.url)
      await judgeAll(scratch.url)
      sizes.push(await sizeOf(scratch.url))
    }
    const backup = join(folder, 'backup.gz')
    await runBackup(backup, scratch.url)
    const [first = 0, second = 0] = sizes
    const last = sizes.at(-1) ?? 0
    const figure = (name: string, bytes: number): Figure => ({ name, value: perMillion(bytes), unit: 'GB' })
    return {
      title: `What a million deals take, by ${rows.toLocaleString('en-US')}`,
      figures: [
        figure('as imported, with their verdicts', first),
        figure('once every price has changed', second),
        figure('each further change of every price', (last - second) / (changes - 1)),
        figure('a backup of it', (await stat(backup)).size),
        figure('memory of a process to search them', await searchMemory(scratch.url, rows)),
      ],
      details: { sizes, tables: await tablesOf(scratch.url) },
    }
  } finally {
    await scratch.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** As an installation at rest has it: all is judged, and what nobody needs any more can be written over. */
async function judgeAll(url: string): Promise<void> {
  const databases = openDatabases(url, () => {})
  try {
    await refreshVerdicts({ databases, settings, clock: systemClock }, new AbortController().signal, noPauses)
    await databases.durablePool.query('vacuum (analyze)')
  } finally {
    await databases.close()
  }
}

const sizeOf = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      'select pg_database_size(current_database()) as bytes',
    )
    return Number(rows[0]?.bytes)
  })

/** The largest tables with all that belongs to them. */
const tablesOf = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; bytes: string }>(
      `select relname as name, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' order by 2 desc limit 8`,
    )
    return rows
  })

/** How much more memory a process at rest has that answers searches from its memory. */
async function searchMemory(url: string, rows: number): Promise<number> {
  const sizes: number[] = []
  for (const SEARCH_INDEX of ['off', 'on']) {
    const app = await startWith(url, { SEARCH_INDEX })
    try {
      if (SEARCH_INDEX === 'on') await untilIndexed(app.url, rows * 0.9)
      await sleep(restMs)
      sizes.push(await memoryOf(app.process))
    } finally {
      await app.stop()
    }
  }
  const [without = Number.NaN, having = Number.NaN] = sizes
  return having - without
}

async function runBackup(file: string, url: string): Promise<void> {
  const child = runScript('cli', ['backup', file], { DATABASE_URL: url, LOG_LEVEL: 'error' })
  const said = lastWordsOf(child)
  await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`The backup ended with ${child.exitCode}: ${said()}`)
}
