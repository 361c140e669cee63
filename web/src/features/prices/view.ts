import { mostPricesListed, priceGraceMs } from '@dealdeck/contract/price-times'
import type { PriceFigures, Verdict } from '@dealdeck/contract/prices'
import type { Marketplace } from '../../platform/money.ts'
import { once } from '../../platform/once.ts'
import type { ChartRange } from './view/chart.ts'
import type { PriceRun } from './view/runs.ts'

const hour = 60 * 60_000
const day = 24 * hour

export type Formats = Pick<Marketplace, 'money' | 'decimals' | 'number' | 'percent' | 'exactTime'> & {
  /** 'Nov 3, 2026', of milliseconds or an ISO time. */
  date: (time: number | string) => string
}

/** An installation's formats with one for days. */
export function withDates(shop: Marketplace): Formats {
  const { locale, money, number, percent, exactTime } = shop
  const dates = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }))
  return {
    ...{ money, number, percent, exactTime },
    // Only where it is asked for: of a copy, a format for money would be made at once.
    get decimals() {
      return shop.decimals
    },
    date: (time) => dates().format(new Date(time)),
  }
}

/** 'less than an hour', '5 h', '1 day', '71 days'. */
export function sayDuration(ms: number, number: (value: number) => string): string {
  if (ms < hour) return 'less than an hour'
  // A day that lacks minutes at its ends is a day.
  if (ms < day - hour) return `${Math.floor(ms / hour)} h`
  return sayDays(ms / day, number)
}

const sayDays = (count: number, number: (value: number) => string) =>
  Math.round(count) === 1 ? '1 day' : `${number(Math.round(count))} days`

/** For how long a price held, as far as is known; `isLast`: nothing is known behind it, so that it holds on while it still counts as known. */
export function heldFor(
  { from, lastSeen, until, isFollowed }: PriceRun,
  isLast: boolean,
  number: (value: number) => string,
): string {
  if (isFollowed) return sayDuration(until - from, number)
  if (lastSeen === from) return 'seen once'
  const known = sayDuration(lastSeen - from, number)
  return isLast && until < lastSeen + priceGraceMs ? `${known} so far` : `at least ${known}`
}

/** What is said of a price that doesn't count. */
export function marksOf({ point }: PriceRun): string[] {
  if (point.is_wrong) return ['Marked as wrong']
  return point.is_suspect ? ['Suspect'] : []
}

/** A run in words, for the readout of the chart and for who listens to it. */
export function sayRun(run: PriceRun, isLast: boolean, shop: Formats): string {
  const { price, original_price } = run.point
  const held = heldFor(run, isLast, shop.number)
  const parts = [
    price === null ? 'not offered' : shop.money(price),
    ...(price !== null && original_price !== null ? [`list price ${shop.money(original_price)}`] : []),
    held === 'seen once' ? held : `held ${held}`,
    ...marksOf(run).map((mark) => mark.toLowerCase()),
  ]
  return `${shop.date(run.from)}: ${parts.join(', ')}`
}

/** From when prices are listed, where not all of them are. */
export function sayListed(runs: readonly PriceRun[], { date, number }: Formats): string | undefined {
  const [oldest] = runs
  if (oldest === undefined || runs.length < mostPricesListed) return undefined
  return `The newest ${number(runs.length)}, from ${date(oldest.from)} on. Those before count in the figures above.`
}

const minutesFromUtc = (time: number) => new Date(time).getTimezoneOffset()

/**
 * What is to be said beside a sentence with days in it, which are the server's, to a reader who is not at UTC now, or was not half a year
 * before, as in summer time: the table has local ones.
 */
export function sayWhoseDays(
  { text, as_of }: Pick<Verdict, 'text' | 'as_of'>,
  offsetAt = minutesFromUtc,
): string {
  const asOf = Date.parse(as_of)
  const isElsewhere = [asOf, asOf - (365 / 2) * day].some((time) => offsetAt(time) !== 0)
  return isElsewhere && /\b\d{1,2} [A-Z][a-z]{2}\b/.test(text) ? ' Its days are those of UTC.' : ''
}

/** A figure that a verdict stands on, with what is to be said beside it. */
export type Evidence = { label: string; value: string; note?: string }

/**
 * The figures of a deal in the order in which somebody checks a verdict, those that decide it most of the time and the others;
 * what nobody knows is left out.
 */
export function evidenceOf(
  { kind, figures, as_of }: Pick<Verdict, 'kind' | 'figures' | 'as_of'>,
  shop: Formats,
): { first: Evidence[]; more: Evidence[] } {
  const { money, number, date } = shop
  const sinceMs = Date.parse(as_of) - Date.parse(figures.watched_since)
  const daysKnown = number(Math.round(figures.days_known_90))
  const seen = (label: string, one: PriceFigures['low_90']): Evidence[] =>
    one
      ? [
          {
            label,
            value: money(one.price),
            note: `held ${sayDuration(one.days * day, number)}, last seen ${date(one.seen_at)}`,
          },
        ]
      : []
  const amount = (label: string, value: number | null, note: string): Evidence[] =>
    value === null ? [] : [{ label, value: money(value), note }]
  const watched: Evidence = {
    label: 'First known',
    value: `${sayDuration(sinceMs, number)} ago`,
    note: `price known on ${daysKnown} of the last 90 days`,
  }
  // Of too little nothing is typical, and no list price refuted.
  if (kind === 'new') return { first: [watched], more: [] }
  const first = [
    watched,
    ...amount('Typical price', figures.typical, 'this or less half of the time seen'),
    ...seen('Lowest in 90 days', figures.low_90),
    ...seen('Highest in 90 days', figures.high_90),
    ...listPrice(figures, shop),
    {
      label: 'At this price or less',
      value: sayDuration(figures.days_at_or_below * day, number),
      note: 'of the last 90 days',
    },
  ]
  const more = [
    ...amount('Price that held longest', figures.usual, 'in 90 days'),
    ...seen('Lowest in 30 days', figures.low_30),
    ...seen('Lowest in a year', figures.low_365),
    ...seen('Lowest since it rose for good, if it did', figures.low_since_rise),
    ...amount('Lowest before this price', figures.prior_30, 'in the 30 days before'),
    { label: 'Changes in 30 days', value: number(figures.changes_30) },
  ]
  return { first, more }
}

function listPrice(
  { list_ever_charged: share, days_known_365 }: PriceFigures,
  { percent, number }: Formats,
): Evidence[] {
  if (share === null) return []
  const note = `in the ${sayDays(days_known_365, number)} we have seen`
  const value =
    share === 0 ? 'Not seen' : share < 0.01 ? `Under ${percent(1)}` : percent(Math.round(share * 100))
  return [{ label: 'List price charged', value, note }]
}

/** What stands on the choice of a range, and what is said of it. */
export const rangeLabels: Record<`${ChartRange}`, { short: string; long: string }> = {
  30: { short: '30 d', long: '30 days' },
  90: { short: '90 d', long: '90 days' },
  365: { short: '1 y', long: '365 days' },
  null: { short: 'All', long: 'All time' },
}
