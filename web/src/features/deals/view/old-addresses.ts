import { type Sort, sortNames } from '@dealdeck/query/fields'
import { printCondition } from '@dealdeck/query/printing'
import { withControls } from './asking.ts'
import type { ControlChange } from './controls.ts'
import type { DealParams } from './filters.ts'

/** What the parameters of earlier addresses are called, those of the server's lists too. */
const old = {
  min: ['min', 'min_price'],
  max: ['max', 'max_price'],
  off: ['off', 'min_discount'],
  rating: ['rating', 'min_rating'],
  discounted: ['discounted', 'discounted_only'],
  prime: ['prime', 'prime_only'],
  today: ['today'],
  day: ['last_24_hours'],
}

/** An earlier address, or one made by hand, as one of today that leads to the same deals. What makes no sense is left out. */
export function rewritten(params: DealParams & Record<string, unknown>, defaultMax: number): DealParams {
  const asker = { defaultMax, hidesContradicted: false, isAdministrator: false }
  const given = new Map(Object.entries(params))
  const read = <T>(name: keyof typeof old, from: (value: unknown) => T | undefined) =>
    old[name].map((one) => from(given.get(one))).find((value) => value !== undefined)
  const max = read('max', (value) => (value === 'any' ? null : amount(value)))
  const off = read('off', (value) => within(value, 100))
  const discounted = read('discounted', flag) && 0
  const change: ControlChange = {
    ...{ min: read('min', amount) || undefined, max, off: off ?? discounted },
    ...{ rating: read('rating', (value) => within(value, 5, 1)) },
    ...{ prime: read('prime', flag), today: read('today', flag) },
  }
  const isEarlier = Object.values(change).some((value) => value !== undefined)
  const search = text(given.get('search'))
  const words = [params.q === undefined || !isEarlier ? params.q : phrase(params.q), search && phrase(search)]
  if (read('day', flag)) words.push('updated:<=1d')
  const q = withControls(
    words.filter(Boolean).join(' '),
    { ...change, sort: sortOf(given.get('sort')) },
    asker,
  )
  return { q: q || undefined, deal: params.deal }
}

/** What was looked for as it stands: as one phrase, unless that is what the text says by itself. */
const phrase = (typed: string) => printCondition({ kind: 'text', text: typed })

function text(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).trim().slice(0, 200)
    : undefined
}

function amount(value: unknown): number | undefined {
  const isAmount = typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value))
  const rounded = isAmount ? Math.round(Number(value) * 100) / 100 : Number.NaN
  return rounded >= 0 && rounded <= 99_999_999.99 ? rounded : undefined
}

/** A number above 0 and not above `most`, with at most so many decimals. */
function within(value: unknown, most: number, decimals = 0): number | undefined {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  const isWithin = typeof number === 'number' && number > 0 && number <= most
  return isWithin && Number(number.toFixed(decimals)) === number ? number : undefined
}

function flag(value: unknown): true | undefined {
  return value === true || value === 'true' || value === 1 || value === '1' ? true : undefined
}

const sortOf = (value: unknown): Sort | undefined => sortNames.find((name) => name === value)
