import type { Deal } from '@dealdeck/contract/deals'
import { controlOf, withField } from '@dealdeck/query/editing'
import { factsOf } from '@dealdeck/query/facts'
import { type Matcher, type Moment, matcherOf } from '@dealdeck/query/matching'
import { type ParsedQuestion, parseQuestion } from '@dealdeck/query/parsing'
import { printQuestion } from '@dealdeck/query/printing'
import {
  asksForHidden,
  type Comparison,
  type Condition,
  combine,
  conjunctsOf,
  leavesOf,
  type Question,
} from '@dealdeck/query/question'
import { isAny } from '@dealdeck/query/values'
import { sayCondition } from '@dealdeck/query/words'
import type { ControlChange, Controls } from './controls.ts'
import { type Asker, type FeedFilters, notContradicted } from './filters.ts'

let last: { key: string; parsed: ParsedQuestion } | undefined

/** What is understood of a text. Asked for by several parts of a screen, it is understood once. */
export function readText(text: string, { isAdministrator }: Asker): ParsedQuestion {
  const key = `${isAdministrator} ${text}`
  if (last?.key !== key) last = { key, parsed: parseQuestion(text, { isAdministrator }) }
  return last.parsed
}

type PriceCondition = Extract<Condition, { kind: 'number' }>
const isPrice = (condition: Condition): condition is PriceCondition =>
  condition.kind === 'number' && condition.field === 'price'
/** Whether a condition says anything of a price. */
export const saysPrice = (condition: Condition | null): boolean => leavesOf(condition).some(isPrice)
/** What no dearer deal meets. */
export const atMost = (max: number): Condition => ({
  kind: 'number',
  field: 'price',
  tests: [{ op: '<=', value: max }],
})

const isVerdict = (condition: Condition): boolean =>
  condition.kind === 'choice' && condition.field === 'verdict'
/** Whether the asker's preference hides contradicted discounts from what is asked, which says nothing of verdicts itself. */
export const hidesContradicted = (condition: Condition | null, asker: Asker): boolean =>
  asker.hidesContradicted && !leavesOf(condition).some(isVerdict)

/** What is asked beside, by preference. */
export function ownOf(condition: Condition | null, asker: Asker): readonly Condition[] {
  return hidesContradicted(condition, asker)
    ? conjunctsOf(parseQuestion(notContradicted).question.condition)
    : []
}

/** A text that shows what the asker's preference hides. */
export const withContradicted = (text: string, asker: Asker): string =>
  withField(text, 'verdict', 'any', asker).trim()

/** What the asker's preference hides from what a text asks for; undefined where it hides nothing. */
export function contradictedIn(text: string, asker: Asker): FeedFilters | undefined {
  if (!hidesContradicted(readText(text, asker).question.condition, asker)) return undefined
  return filtersOfText(withField(text, 'verdict', 'raised,listnotseen', asker), asker)
}

/** What a text asks the server for. */
export function filtersOfText(text: string, asker: Asker): FeedFilters {
  const { condition, sort } = readText(text, asker).question
  const asked = [...conjunctsOf(condition), ...ownOf(condition, asker)]
  const rest = asked.filter((one) => !isPrice(one) || !one.tests.some(isAny))
  // The highest price has a parameter of its own, by which those who ask for nothing else share their pages.
  const at = rest.findIndex((one) => isPrice(one) && one.tests.length === 1 && one.tests[0]?.op === '<=')
  const [found] = at < 0 ? [] : rest.splice(at, 1)
  const [test] = found && isPrice(found) ? found.tests : []
  const max = test && 'value' in test ? test.value : null
  return {
    sort: sort ?? 'newest',
    query: printQuestion({ condition: combine('all', rest), sort: null }),
    max: saysPrice(condition) ? max : asker.defaultMax,
  }
}

/** The whole question of some filters, which asks for the same deals whoever asks it. */
function questionOf({ query, max, sort }: FeedFilters): Question {
  // Filters are made of what was understood, administrators' fields included.
  const asked = parseQuestion(query, { isAdministrator: true }).question
  const limited = [...conjunctsOf(asked.condition), ...(max === null ? [] : [atMost(max)])]
  const order = sort ?? asked.sort
  return { condition: combine('all', limited), sort: order === 'newest' ? null : order }
}

/** The same as one text, such as a saved search keeps. */
export function wholeText(filters: FeedFilters): string {
  const { condition, sort } = questionOf(filters)
  const text = printQuestion({ condition, sort })
  return saysPrice(condition) ? text : `price:any ${text}`.trim()
}

/** Whether deals pass some filters, as the server decides it; undefined where only the server can tell. */
export function matcherOfFilters(filters: FeedFilters, now: number): ((deal: Deal) => boolean) | undefined {
  const { condition } = questionOf(filters)
  // What may be shown of hidden deals is not for a page to decide.
  if (asksForHidden(condition)) return undefined
  const matches: Matcher = matcherOf(condition)
  const moment: Moment = { now, midnight: new Date(now).setHours(0, 0, 0, 0) }
  return (deal) => matches(factsOf(deal, true), moment)
}

/** Whether a text asks among hidden deals too, which no total counts. */
export const asksAmongHidden = (text: string, asker: Asker): boolean =>
  asksForHidden(readText(text, asker).question.condition)

/** What the controls show of a text. */
export function controlsOf(text: string, asker: Asker): Controls {
  const parsed = readText(text, asker)
  const prime = controlOf(parsed, 'prime')
  const today = controlOf(parsed, 'new')
  return {
    sort: parsed.question.sort ?? 'newest',
    ...priceOf(parsed, asker.defaultMax),
    off: leastOf(parsed, 'off'),
    rating: leastOf(parsed, 'rating'),
    prime: prime?.kind === 'choice' && prime.tests.join() === 'yes',
    today: today?.kind === 'duration' && today.tests.length === 1 && today.tests[0]?.op === 'today',
  }
}

/** How many of the controls say something. A price range counts once, the order doesn't. */
export function activeControls(controls: Controls, defaultMax: number): number {
  const { min, max, otherPrice, off, rating, prime, today } = controls
  const range = min !== null || max !== defaultMax || otherPrice !== null
  return [range, off !== null, rating !== null, prime, today].filter(Boolean).length
}

function priceOf(parsed: ParsedQuestion, defaultMax: number): Pick<Controls, 'min' | 'max' | 'otherPrice'> {
  const { condition } = parsed.question
  if (!saysPrice(condition)) return { min: null, max: defaultMax, otherPrice: null }
  const asked = parsed.terms.flatMap((term) =>
    term.condition && saysPrice(term.condition) ? [term.condition] : [],
  )
  let [min, max] = [0, Number.POSITIVE_INFINITY]
  for (const one of asked) {
    const [test] = isPrice(one) ? one.tests : []
    if (!test || !isPrice(one) || one.tests.length > 1)
      return { min: null, max: null, otherPrice: asked.map((part) => sayCondition(part)).join(', ') }
    const [least, most] = boundsOf(test)
    min = Math.max(min, least)
    max = Math.min(max, most)
  }
  return { min: min || null, max: max === Number.POSITIVE_INFINITY ? null : max, otherPrice: null }
}

/** The lowest and the highest price that meet a comparison; prices are whole cents. */
function boundsOf(test: Comparison): [number, number] {
  if (test.op === '..') return [test.from, test.to]
  const { op, value } = test
  const cents = (more: number) => (Math.round(value * 100) + more) / 100
  const least = op === '>' ? cents(1) : op === '<' || op === '<=' ? 0 : value
  const most = op === '<' ? cents(-1) : op === '>' || op === '>=' ? Number.POSITIVE_INFINITY : value
  return [least, most]
}

function leastOf(parsed: ParsedQuestion, field: 'off' | 'rating'): number | string | null {
  const condition = controlOf(parsed, field)
  if (condition === undefined) return null
  if (condition?.kind === 'number' && condition.tests.length === 1) {
    const [test] = condition.tests
    if (test?.op === '>=') return test.value
  }
  if (condition) return sayCondition(condition)
  const asked = parsed.terms.filter((term) => term.field === field)
  return asked.flatMap((term) => (term.condition ? [sayCondition(term.condition)] : [])).join(', ') || null
}

/** A text that asks what its controls are changed to, and all else as before. */
export function withControls(text: string, change: ControlChange, asker: Asker): string {
  const { sort, min, max, off, rating, prime, today } = change
  let next = text
  const put = (...[field, value]: [Parameters<typeof withField>[1], string | null]) => {
    next = withField(next, field, value, { isAdministrator: asker.isAdministrator })
  }
  if (min !== undefined || max !== undefined) {
    const shown = controlsOf(text, asker)
    put('price', writePrice(min === undefined ? shown.min : min, max === undefined ? shown.max : max, asker))
  }
  if (off !== undefined) put('off', writeLeast(off))
  if (rating !== undefined) put('rating', writeLeast(rating))
  if (prime !== undefined) put('prime', prime ? 'yes' : null)
  if (today !== undefined) put('new', today ? 'today' : null)
  if (sort !== undefined) {
    const rest = withField(next, 'sort', null, { isAdministrator: asker.isAdministrator })
    const within = readText(rest, asker).question.sort
    // One within parentheses stays there; of several the first counts.
    if (within === null) put('sort', sort === 'newest' ? null : sort)
    else next = within === sort ? rest : `sort:${sort} ${rest}`
  }
  return next.trim()
}

function writePrice(min: number | null, max: number | null, { defaultMax }: Asker): string | null {
  if (min === null) return max === defaultMax ? null : max === null ? 'any' : `<=${max}`
  if (max === null) return `>=${min}`
  // The wrong way round it is no range, but nothing costs that.
  return min > max ? `>=${min} price:<=${max}` : `${min}..${max}`
}

const writeLeast = (value: number | string | null) =>
  typeof value === 'number' ? (value === 0 ? 'any' : `>=${value}`) : null
