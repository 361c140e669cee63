import { isTrusted, type PriceRun } from './runs.ts'

/** The chart's own units, which its box stretches to whatever size it has. */
export const [chartWidth, chartHeight] = [1000, 300]
const day = 24 * 60 * 60_000

/** How much of the past is shown, in days; null is all of it. */
export type ChartRange = 30 | 90 | 365 | null
export const chartRanges: readonly ChartRange[] = [30, 90, 365, null]

type Box = { x: number; width: number }
type Spot = { x: number; y: number }

export type PriceChart = {
  /** The runs that are shown, with where their price lies; `y` is null where there was no offer. */
  shown: { run: PriceRun; x: number; end: number; y: number | null }[]
  /** Paths of steps, with gaps where nothing is known: the price, and the list price. */
  priceLine: string
  listLine: string
  /** Where the list price ends last. */
  listEnd: Spot | undefined
  /** Above which heights the names of both stand, clear of each other. */
  names: { typical: number | undefined; list: number | undefined }
  /** The typical price of the last 90 days and what is as good as it. */
  band: (Box & { y: number; height: number; middle: number }) | undefined
  /** When there was no offer; `seenAt` tells apart what lies at the same place. */
  missing: (Box & { seenAt: string })[]
  /** Prices that don't count: suspect ones and those marked as wrong. Those too high for the chart lie at its upper edge. */
  doubted: (Spot & { seenAt: string; isWrong: boolean; isBeyond: boolean })[]
  /** The price at the end of the range, if it is known then. */
  now: Spot | undefined
  money: { y: number; amount: number }[]
  times: { x: number; time: number }[]
}

/** What is as good as the typical price: so far from it on both sides, as a share. */
const bandShare = 0.05

type ChartInput = {
  runs: readonly PriceRun[]
  range: ChartRange
  /** When the range ends, in milliseconds. */
  until: number
  /** The typical price of 90 days, in money; null where too little is known. */
  typical: number | null
  /** How many digits an amount has behind its point. */
  decimals: number
}

/** The range to begin with: 90 days, or the shortest longer one of which anything is known. */
export function firstRange(runs: readonly PriceRun[], until: number): ChartRange {
  const last = runs.at(-1)?.until ?? until
  return ([90, 365] as const).find((range) => last >= until - range * day) ?? null
}

/** Places a deal's runs, oldest first, in a box of `chartWidth` by `chartHeight`. */
export function chartOf({ runs, range, until, typical, decimals }: ChartInput): PriceChart {
  const oldest = runs[0]?.from ?? until
  const from = range === null ? Math.min(oldest, until - day) : until - range * day
  const inRange = runs.filter((run) => run.until >= from && run.from <= until)
  const [low, high] = extent(inRange, typical, decimals)
  const x = (time: number) => round(((clamp(time, from, until) - from) / (until - from)) * chartWidth)
  const y = (amount: number) =>
    round(chartHeight - ((Math.min(amount, high) - low) / (high - low)) * chartHeight)
  const shown = inRange.map((run) => ({
    run,
    x: x(run.from),
    end: x(run.until),
    y: run.point.price === null ? null : y(run.point.price),
  }))
  const trusted = inRange.filter(isTrusted)
  const last = trusted.at(-1)
  const listed = trusted.filter(({ point }) => point.original_price !== null)
  const lastListed = listed.at(-1)
  const listEnd = lastListed && { x: x(lastListed.until), y: y(lastListed.point.original_price ?? 0) }
  const band = typical === null ? undefined : bandOf(typical, x(until - 90 * day), y)
  return {
    shown,
    priceLine: steps(trusted, ({ price }) => price, x, y),
    listLine: steps(listed, ({ original_price }) => original_price, x, y),
    listEnd,
    names: namesOf(band?.y, listEnd),
    band,
    missing: shown.flatMap(({ run, y, x, end }) =>
      y === null ? [{ seenAt: run.point.seen_at, x, width: Math.max(2, end - x) }] : [],
    ),
    doubted: shown.flatMap(({ run: { point }, run, x, y }) =>
      y === null || point.price === null || isTrusted(run)
        ? []
        : [{ seenAt: point.seen_at, x, y, isWrong: point.is_wrong, isBeyond: point.price > high }],
    ),
    now: last && x(last.until) === chartWidth ? { x: chartWidth, y: y(last.point.price ?? 0) } : undefined,
    // Where no price is shown there are no amounts.
    money: (shown.every(({ y }) => y === null) ? [] : ticksOf(low, high, decimals)).map((amount) => ({
      y: y(amount),
      amount,
    })),
    times: [0.125, 0.5, 0.875].map((share) => ({
      x: share * chartWidth,
      time: from + share * (until - from),
    })),
  }
}

/** So many times the highest amount that counts, a price that doesn't may make the chart higher: the rest stays legible. */
const mostBeyond = 2

/** The lowest and highest amount that the chart has room for, a little beyond what it shows. */
function extent(runs: readonly PriceRun[], typical: number | null, decimals: number): [number, number] {
  const isKnown = (amount: number | null) => amount !== null
  const trusted = runs.filter(isTrusted).flatMap(({ point }) => [point.price, point.original_price])
  const band = typical === null ? [] : [typical * (1 - bandShare), typical * (1 + bandShare)]
  const counted = [...trusted, ...band].filter(isKnown)
  const highest = counted.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...counted) * mostBeyond
  const prices = runs.map(({ point }) => point.price).filter(isKnown)
  const known = [...counted, ...prices.filter((price) => price <= highest)]
  if (known.length === 0) return [0, 1]
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const room = Math.max((high - low) * 0.12, high * 0.04, 10 ** -decimals)
  return [Math.max(0, low - room), high + room]
}

function steps(
  runs: readonly PriceRun[],
  amountOf: (point: PriceRun['point']) => number | null,
  x: (time: number) => number,
  y: (amount: number) => number,
): string {
  let path = ''
  let end: number | undefined
  for (const run of runs) {
    const at = y(amountOf(run.point) ?? 0)
    // A line begins anew behind a gap.
    path += run.from === end ? `V${at}` : `M${x(run.from)} ${at}`
    path += `H${x(run.until)}`
    end = run.until
  }
  return path
}

function bandOf(typical: number, x: number, y: (amount: number) => number): PriceChart['band'] {
  const [top, bottom] = [y(typical * (1 + bandShare)), y(typical * (1 - bandShare))]
  return { x, width: chartWidth - x, y: top, height: round(bottom - top), middle: y(typical) }
}

/** A line of words in the chart's own units, and from where on both names would share one, however narrow the chart is. */
const [lineHeight, namesMeet] = [22, 450]

/** The name of the list price goes above that of the typical one where they would overlap, or below where there is no room. */
function namesOf(typical: number | undefined, list: Spot | undefined): PriceChart['names'] {
  if (typical === undefined || !list || list.x < namesMeet || Math.abs(list.y - typical) >= lineHeight)
    return { typical, list: list?.y }
  const above = typical - lineHeight
  return { typical, list: round(above >= lineHeight ? above : typical + lineHeight) }
}

/** The room that amounts beside the chart need, in rem: in their size no character of one is wider than 0.45 on average. */
export function amountRoom(amounts: readonly string[]): number {
  return Math.max(4, 0.75 + 0.45 * Math.max(0, ...amounts.map((amount) => amount.length)))
}

/** Two to five round amounts within a range, each as it is written with so many digits behind its point. */
export function ticksOf(low: number, high: number, decimals: number): number[] {
  const least = 10 ** -decimals
  const rough = Math.max((high - low) / 4, least)
  const power = 10 ** Math.floor(Math.log10(rough))
  const roundStep = ([1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10) * power
  // Half a cent, or yen, would be written as the next whole one.
  const step = Math.floor(roundStep / least + 1e-9) * least
  const ticks: number[] = []
  // Sums of fractions miss a round amount by a hair.
  for (let tick = Math.ceil(low / step - 1e-9); tick * step <= high + step * 1e-9; tick += 1)
    ticks.push(Number((tick * step).toFixed(4)))
  return ticks
}

/**
 * Which of the shown runs a place of the chart belongs to: a price that doesn't count within the `reach` of its ring, which mostly lies in
 * the time of another one, or else the one drawn there, or the nearest. -1 without any.
 */
export function nearestRun(shown: PriceChart['shown'], x: number, reach: number): number {
  const rings = shown.map(({ run, x: at, y }) =>
    y === null || isTrusted(run) ? Number.POSITIVE_INFINITY : Math.abs(at - x),
  )
  const closest = Math.min(...rings)
  if (closest <= reach) return rings.lastIndexOf(closest)
  const distances = shown.map((run) => Math.max(run.x - x, x - run.end, 0))
  // Of two that meet there it is the later one.
  return distances.lastIndexOf(Math.min(...distances))
}

/** Which run a key leads to from another one (-1: from none); undefined for keys that mean nothing here. */
export function runAfterKey(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined
  const last = count - 1
  switch (key) {
    case 'ArrowLeft':
      return at === -1 ? last : Math.max(0, at - 1)
    case 'ArrowRight':
      return at === -1 ? last : Math.min(last, at + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))
const round = (value: number) => Math.round(value * 10) / 10
