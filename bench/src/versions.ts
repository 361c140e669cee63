import { realpath, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Files, takeByTurns } from './by-turns.ts'
import { takeEvents } from './events-by-turns.ts'
import { writeDeals } from './import.ts'
import { commitOf, startVersion, type Version } from './one-version.ts'
import { ownRoot } from './processes.ts'
import { type Ratio, ratiosOf, type Sides, type Taken, widthOf } from './ratios.ts'
import { atMost, type Figure, type Report } from './report.ts'
import { keptFigures } from './results.ts'
import { givenServer, makeFolder, type Workshop } from './scratch.ts'

const mostOfBefore = 1.03
const rowsToWarmUp = 100
/** The name that a version against itself is kept under, and its figure that other runs show. */
const control = 'versions, control'
const width = 'all times, from the least to the greatest'

/**
 * A version, this one unless another is named, divided by another, both at work side by side: each start has new processes and databases of both with
 * the same deals. A version against itself says how much the machine alone makes of it.
 */
export async function measureVersions({ rows, sizes }: Workshop): Promise<Report> {
  const { against, measured, starts, streams } = sizes
  if (against === undefined) throw new Error('Another checkout must be named with --against')
  const roots: Sides<string> = [
    await realpath(measured === undefined ? ownRoot : resolve(measured)),
    await realpath(resolve(against)),
  ]
  const folder = await makeFolder()
  try {
    const files = { all: join(folder, 'deals.ndjson'), warmUp: join(folder, 'few-deals.ndjson') }
    await writeDeals(files.all, rows)
    await writeDeals(files.warmUp, rowsToWarmUp)
    const taken: Taken[][] = []
    for (let start = 0; start < starts; start++)
      taken.push(await takeStart(roots, files, { rows, streams }, start))
    return await reportOf(roots, ratiosOf(taken), {
      rows,
      streams,
      starts,
      taken,
      isOther: measured !== undefined,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Amounts = { rows: number; streams: number }

async function takeStart(
  roots: Sides<string>,
  files: Files,
  { rows, streams }: Amounts,
  first: number,
): Promise<Taken[]> {
  const started: Version[] = []
  const start = async (root: string) => {
    const version = await startVersion(root)
    started.push(version)
    return version
  }
  try {
    const isOursFirst = first % 2 === 0
    const [one, other] = [await start(roots[isOursFirst ? 0 : 1]), await start(roots[isOursFirst ? 1 : 0])]
    const sides: Sides<Version> = isOursFirst ? [one, other] : [other, one]
    const taken = await takeByTurns(sides, files, rows, first)
    return [...taken, ...(await takeEvents(sides, first, streams))]
  } finally {
    await Promise.all(started.map((version) => version.stop()))
  }
}

async function reportOf(
  roots: Sides<string>,
  ratios: Ratio[],
  { rows, streams, starts, taken, isOther }: Amounts & { starts: number; taken: Taken[][]; isOther: boolean },
): Promise<Report> {
  const commits: Sides<string> = [await commitOf(roots[0]), await commitOf(roots[1])]
  const isControl = roots[0] === roots[1] || (commits[0] === commits[1] && /^[0-9a-f]+$/.test(commits[0]))
  const times = ratios.filter(({ kind }) => kind === 'time')
  const processor = givenServer ? 'the application' : 'the application and its database'
  const title = isControl
    ? `Version ${commits[0]} ÷ itself, the control`
    : `Version ${commits[0]} ÷ ${commits[1]}`
  return {
    title: `${title}, processor time of ${processor}`,
    figures: [...ratios.map((ratio) => figureOf(ratio, isControl)), ...(await widths(times, isControl))],
    details: { commits, starts, ratios, taken },
    ...(isControl ? { keptAs: control } : {}),
    command: `versions --against FOLDER${isOther ? ' --measured FOLDER' : ''} --starts ${starts} --rows ${rows} --streams ${streams}`,
  }
}

function figureOf({ name, kind, middle, least, greatest, sides }: Ratio, isControl: boolean): Figure {
  const beside = sides.map((side) => side.toPrecision(3)).join(' and ')
  const note = `${widthOf([{ least, greatest }])}, ${beside} ms`
  if (kind === 'time' && !isControl) return atMost(name, middle, mostOfBefore, '×', note)
  return { name, value: middle, unit: '×', note }
}

/** How wide the ratios of the times are, and beside another version how wide they were against itself. */
async function widths(times: Ratio[], isControl: boolean): Promise<Figure[]> {
  const medians = widthOf(times.map(({ middle }) => ({ least: middle, greatest: middle })))
  const own: Figure = { name: width, value: widthOf(times), unit: '×', note: `medians ${medians}` }
  if (isControl) return [own]
  const kept = (await keptFigures(control)).find(({ name }) => name === width)
  return [
    own,
    {
      ...{ name: 'the same of a version against itself', unit: '×' },
      value: kept?.value ?? '',
      note: kept?.note ?? 'not measured yet: --against this checkout',
    },
  ]
}
