import type { NumberField } from './fields.ts'
import { fields } from './fields.ts'
import type { Comparison, DurationTest } from './question.ts'

const minutesOf = { d: 1440, h: 60, m: 1 }
const unitOf: Record<string, number> = {
  ...{ m: 1, min: 1, mins: 1, minute: 1, minutes: 1, h: 60, hr: 60, hrs: 60, hour: 60, hours: 60 },
  ...{ d: 1440, day: 1440, days: 1440, w: 10_080, week: 10_080, weeks: 10_080 },
  ...{ mo: 43_200, month: 43_200, months: 43_200, y: 525_600, year: 525_600, years: 525_600 },
}
/** Ten years. */
const longestDuration = 5_256_000

/**
 * A number as people type it: `1,234.50`, `1.234,50`, `1'234`, `$5`, `5 €` without the space, `50%`, `2k`. One separator before
 * three digits parts thousands, any other one decimals, of which there are at most two; it is
 * another sign than the one between thousands. Null for what is none.
 */
export function readNumber(typed: string): number | null {
  const bare = typed
    .toLowerCase()
    .replace(/^[a-z]{0,3}\p{Sc}/u, '')
    .replace(/(?:%|\p{Sc}|usd|eur|gbp)$/u, '')
    .replace(/['’]/g, '')
  const [, digits = '', thousand] = /^([\d.,]*\d[\d.,]*)(k?)$/.exec(bare) ?? []
  const at = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  const whole = digits.slice(0, at < 0 ? undefined : at)
  const rest = at < 0 ? '' : digits.slice(at + 1)
  const sign = digits.charAt(at)
  const isThousands = rest.length === 3 && !/^0?$/.test(whole) && !/[.,]/.test(whole.replaceAll(sign, ''))
  const groups = isThousands ? digits : whole
  if (!isThousands && sign !== '' && whole.includes(sign)) return null
  // Between thousands, and in India also before, stand groups of digits of one kind of separator.
  if (!/^(?:\d*|\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3})$/.test(groups)) return null
  const plain = isThousands ? groups.replace(/[.,]/g, '') : `${whole.replace(/[.,]/g, '')}.${rest}`
  if (!/^(?:\d{1,12}\.?|\d{0,12}\.\d{1,2})$/.test(plain)) return null
  return Math.round(Number(plain) * (thousand ? 100_000 : 100)) / 100
}

/** Minutes of `2h`, `1d12h`, `1.5 hours` without the space; null for what is none, or isn't whole minutes. */
export function readDuration(typed: string): number | null {
  const parts = /^(?:\d{1,9}(?:[.,]\d{1,2})?[a-z]{1,7})+$/i.test(typed)
    ? typed.matchAll(/([\d.,]+)([a-z]+)/gi)
    : []
  // In hundredths, which are whole: 4.1 hours would not be 246 minutes.
  let hundredths = 0
  for (const [, count = '', unit = ''] of parts)
    hundredths +=
      Math.round(Number(count.replace(',', '.')) * 100) * (unitOf[unit.toLowerCase()] ?? Number.NaN)
  const minutes = hundredths / 100
  return minutes > 0 && Number.isInteger(minutes) && minutes <= longestDuration ? minutes : null
}

/** A duration in the largest unit that it is a whole number of, from days down. */
export function writeDuration(minutes: number): string {
  const [unit, length] = largestUnit(minutes)
  return `${minutes / length}${unit}`
}

/** The same as people say it: `2 hours`. */
export function sayDuration(minutes: number): string {
  const [unit, length] = largestUnit(minutes)
  const count = minutes / length
  return `${count} ${{ d: 'day', h: 'hour', m: 'minute' }[unit]}${count === 1 ? '' : 's'}`
}

function largestUnit(minutes: number): ['d' | 'h' | 'm', number] {
  if (minutes % minutesOf.d === 0) return ['d', minutesOf.d]
  return minutes % minutesOf.h === 0 ? ['h', minutesOf.h] : ['m', minutesOf.m]
}

/** Why a value can't be used; `nearest` is what could stand in its place. */
export type Refused = { needs: string; nearest: string }

export function isRefused<Test>(test: Test | Refused): test is Refused {
  return typeof test === 'object' && test !== null && 'needs' in test
}

/** The comparison that a text behind a number's colon stands for; `any` is any number that is known. */
export function readComparison(field: NumberField, typed: string): Comparison | Refused {
  const { bare, most, example } = fields[field]
  if (typed.toLowerCase() === 'any') return { op: '>=', value: 0 }
  const test = compare(typed, bare, readNumber)
  if (!test) return refusedNumber(typed, 'a number', readNumber, example)
  if (highestOf(test) > most) {
    const within = `a number up to ${most}`
    return {
      needs: within,
      nearest: writeComparison(
        mapValues(test, (value) => Math.min(value, most)),
        String,
      ),
    }
  }
  return test
}

/** The test that a text behind a duration's colon stands for. */
export function readDurationTest(typed: string, example: string): DurationTest | Refused {
  if (typed.toLowerCase() === 'today') return { op: 'today' }
  const test = compare(typed, '<=', readDuration)
  if (test && test.op !== '=') return test
  if (test) return { needs: 'a comparison', nearest: `<=${writeDuration(test.value)}` }
  const isBare = readNumber(typed.replace(/^[<>=≤≥]*/, '')) !== null
  return refusedNumber(isBare ? `${typed}h` : typed, 'a duration', readDuration, example)
}

type ValueOp = Exclude<Comparison['op'], '..'>
const opOf: Record<string, ValueOp> = {
  ...{ '<': '<', '<=': '<=', '=<': '<=', '≤': '<=', '=': '=' },
  ...{ '>': '>', '>=': '>=', '=>': '>=', '≥': '>=' },
}

function compare(typed: string, bare: '<=' | '>=', read: (text: string) => number | null): Comparison | null {
  const [, sign = '', text = ''] = /^(<=|>=|=<|=>|[<>=≤≥]?)(.*)$/s.exec(typed) ?? []
  const op = opOf[sign]
  const value = read(text)
  if (op) return value === null ? null : { op, value }
  if (value !== null) return { op: bare, value }
  if (text.endsWith('+')) {
    const least = read(text.slice(0, -1))
    return least === null ? null : { op: '>=', value: least }
  }
  const [, one = '', other = ''] = /^([^…–-]*?)(?:\.{2,3}|…|–|-)([^…–-]*)$/.exec(text) ?? []
  const [from, to] = [read(one), read(other)]
  if (isOpen(one) && to !== null) return { op: '<=', value: to }
  if (isOpen(other) && from !== null) return { op: '>=', value: from }
  if (from === null || to === null || from > to) return null
  return from === to ? { op: '=', value: from } : { op: '..', from, to }
}

const isOpen = (end: string) => end === '' || end === '*'

/** What is wrong and what could have been meant: a range the right way round, the digits of a text, or an example. */
function refusedNumber(
  typed: string,
  needs: string,
  read: (text: string) => number | null,
  example: string,
): Refused {
  const [, from, to] = /^(.+?)(?:\.{2,3}|…|–|-)(.+)$/.exec(typed) ?? []
  const turned = `${to}..${from}`
  if (compare(turned, '<=', read)) return { needs: 'the lower end first', nearest: turned }
  const [sign = ''] = /^(?:<=|>=|[<>]?)/.exec(typed) ?? []
  const digits = /\d[^<>=]*/.exec(typed)?.[0] ?? ''
  const isRead = read(digits) !== null
  return { needs, nearest: isRead ? sign + digits : example.replace(/^[<>=]*/, sign || '$&') }
}

/** Whether any number meets a comparison. */
export const isAny = (test: Comparison): boolean => test.op === '>=' && test.value === 0

/** A comparison as it is written behind the colon. */
export function writeComparison(test: Comparison, write: (value: number) => string): string {
  if (isAny(test)) return 'any'
  return test.op === '..' ? `${write(test.from)}..${write(test.to)}` : test.op + write(test.value)
}

const highestOf = (test: Comparison) => (test.op === '..' ? test.to : test.value)

function mapValues(test: Comparison, map: (value: number) => number): Comparison {
  return test.op === '..' ? { op: '<=', value: map(test.to) } : { ...test, value: map(test.value) }
}
