import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeSessions, startApplication } from './application.ts'
import { writeDeals } from './import.ts'
import { importByCommand, startVersion, type Version, vacuumForGood } from './one-version.ts'
import type { Program } from './processes.ts'
import { median } from './report.ts'
import { rateOfPages } from './request-rate.ts'
import { makeFolder } from './scratch.ts'
import { untilIndexed } from './searches.ts'

/** Rounds of pages, the first of which only warm up, and pages of a round. */
const [rounds, warmUp, pages] = [20, 3, 100]

/**
 * Milliseconds of a page as a screen asks for it, nothing cached, from each of these databases and then from these other versions at
 * work: the middle of rounds taken by turns.
 */
export async function timeAskedPages(urls: string[], others: Version[]): Promise<number[]> {
  const apps: Program[] = []
  try {
    const sides = others.map(({ app, databaseUrl }) => ({ app, databaseUrl }))
    for (const databaseUrl of urls.toReversed()) {
      const app = await startApplication(databaseUrl)
      apps.push(app)
      // Reading all deals into memory takes longer where they have verdicts, and is none of a page's.
      await untilIndexed(app.url)
      sides.unshift({ app, databaseUrl })
    }
    const cookies = await Promise.all(sides.map(({ databaseUrl }) => makeSessions(databaseUrl, 8)))
    const times = sides.map((): number[] => [])
    for (let round = -warmUp; round < rounds; round += 1)
      for (const [side, { app }] of sides.entries()) {
        const paths = Array.from({ length: pages }, (_, at) => {
          const price = (100 + (round + warmUp) * 10 + at / 100).toFixed(2)
          return `/api/products?limit=50&max_price=${price}`
        })
        const options = { connections: 1, amount: pages, status: 200 as const, cookies: cookies[side] ?? [] }
        const { p50 } = await rateOfPages(app.url, paths, { 'accept-encoding': 'gzip' }, options)
        if (round >= 0) times[side]?.push(p50)
      }
    return times.map((of) => median(of))
  } finally {
    await Promise.all(apps.map((app) => app.stop()))
  }
}

/** Another checkout at work with so many deals, imported by its own command. One with verdicts would go on finding them out. */
export async function startFilledVersion(root: string, rows: number): Promise<Version> {
  const folder = await makeFolder()
  try {
    const file = join(folder, 'deals.ndjson')
    await writeDeals(file, rows)
    const version = await startVersion(resolve(root))
    try {
      await importByCommand(version, file)
      await vacuumForGood(version)
      return version
    } catch (error) {
      await version.stop()
      throw error
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
