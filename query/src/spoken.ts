import type { NumberField } from './fields.ts'
import type { Comparison, Condition } from './question.ts'
import { quoted, tidyText } from './quoting.ts'
import { isRefused, readComparison, writeComparison } from './values.ts'

/** How comparisons are said. */
const signs: Record<string, string> = {
  ...{ under: '<', below: '<', 'less than': '<', 'cheaper than': '<', 'at most': '<=', 'up to': '<=' },
  ...{ over: '>', above: '>', 'more than': '>', 'at least': '>=' },
}
const byUnit: Record<string, NumberField> = { s: 'rating', r: 'reviews' }
const comparison = Object.keys(signs).join('|').replaceAll(' ', '\\s+')
const end = '(?=,*(?:[\\s)）]|$))'
const unit = '(?:%|percent)?\\s*off|stars?|reviews?|\\p{Sc}|dollars?|bucks|euros?|usd|eur'
const number = `(\\p{Sc}?\\d+(?:[.,]\\d+)*)(?:\\s*(${unit}))?`
const amount = `(?:(${comparison})\\s+)?(?:half\\s+(?:off|price)|${number})${end}`
const negation = '(?:not|without|except)\\s+(?!(?:OR|AND)(?:[\\s()（）]|$))(?=[^\\s\\p{Cc},)）])'
const range = `between\\s+(\\p{Sc}?\\d+(?:[.,]\\d+)*)\\s+(?:and|to)\\s+${number}${end}`
const amountPattern = new RegExp(amount, 'iuy')
const rangePattern = new RegExp(range, 'iuy')
/** What titles count: a number of these is no price. */
const counted =
  /\s+(?:min(?:ute)?|hour|day|week|month|year|inche?|cm|mm|ft|feet|lb|pound|oz|watt|volt|page|piece|pack|gb)s?(?=,*(?:[\s)）]|$))/iuy
const negationPattern = new RegExp(`${negation}("[^"]*"|[^\\s,()]+)?`, 'iuy')
const clearNegation = new RegExp(`(?:,\\s*(?:but\\s+)?|but\\s+)${negation}`, 'iuy')
const anywhere = new RegExp(
  `(?<=^|[ (:,=-])"(?:\\\\[^]|[^"\\\\])*"|(?<=^|[ (])(?:${negation}|${range}|${amount})`,
  'giu',
)

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Without a test it is a measure, such as titles hold; a guess could be one. */
type Amount = { end: number; field: NumberField; test: Comparison | null; isGuess: boolean }

/** `between 10 and 20`, also of percent, stars and reviews. */
function readRange(text: string, at: number): Amount | undefined {
  const [said, from, to = '', of = ''] = matchAt(rangePattern, text, at) ?? []
  if (said === undefined || from === undefined) return undefined
  const end = at + said.length
  const unit = of.toLowerCase()
  const field = unit.endsWith('off') ? 'off' : (byUnit[unit.charAt(0)] ?? 'price')
  if (unit === '' && /^\d/.test(to) && matchAt(counted, text, end)) return undefined
  const read = readComparison(field, `${from}..${to}`)
  return isRefused(read) ? undefined : { end, field, test: read, isGuess: false }
}

function readAmount(text: string, at: number): Amount | undefined {
  const between = readRange(text, at)
  if (between) return between
  const match = matchAt(amountPattern, text, at)
  if (!match) return undefined
  const [said, op = '', number, of = ''] = match
  const sign = signs[op.toLowerCase().replace(/\s+/g, ' ')] ?? ''
  const unit = number === undefined ? '% off' : of.toLowerCase()
  // Without a comparison only a share of the price is clear.
  if (sign === '' && !/[%t]\s*off$/.test(unit)) return undefined
  const field = unit.endsWith('off') ? 'off' : (byUnit[unit.charAt(0)] ?? 'price')
  const read = readComparison(field, sign + (number ?? '50'))
  const isBare = unit === '' && /^\d/.test(number ?? '')
  const end = at + said.length
  const measured = isBare ? matchAt(counted, text, end) : null
  if (!measured && !isRefused(read)) return { end, field, test: read, isGuess: isBare && sign !== '<' }
  return sign === '<'
    ? { end: measured ? counted.lastIndex : end, field, test: null, isGuess: false }
    : undefined
}

/** A term said in words, and where it ends; without a field it is a phrase. */
export type Spoken = { end: number; field: NumberField | null; condition: Condition }

/**
 * What is said in words at a place where a term begins, and where that ends: a comparison such as `under 30` or `at least half
 * off`, or a phrase such as `under 30 minutes`, which is a part of titles.
 */
export function spokenAt(text: string, at: number): Spoken | undefined {
  const found = readAmount(text, at)
  if (!found || found.isGuess) return undefined
  const { end, field, test } = found
  return test === null
    ? { end, field: null, condition: { kind: 'text', text: tidyText(text.slice(at, end)) } }
    : { end, field, condition: { kind: 'number', field, tests: [test] } }
}

/** Words that may well be a part of a title, and what they could be meant as. */
export function guessAt(text: string, at: number): { end: number; suggestion: string } | undefined {
  const [negated, word] = matchAt(negationPattern, text, at) ?? []
  if (negated !== undefined && word !== undefined) return { end: at + negated.length, suggestion: `-${word}` }
  const found = readAmount(text, at)
  if (!found?.isGuess || found.test === null) return undefined
  return { end: found.end, suggestion: `${found.field}:${writeComparison(found.test, String)}` }
}

/** Where words end that clearly leave out what follows: behind a comma or `but`, or in capitals. */
export function negationEnd(text: string, at: number): number | undefined {
  const isClear =
    matchAt(clearNegation, text, at) ?? (text.startsWith('NOT', at) && matchAt(negationPattern, text, at))
  if (!isClear) return undefined
  return at + isClear[0].length - (isClear[1]?.length ?? 0)
}

/** A printed question in which no words are taken for more than words. */
export function unspoken(printed: string): string {
  return printed.replace(anywhere, (said: string, ...rest: unknown[]) => {
    const at = rest.find((one) => typeof one === 'number') ?? 0
    if (said.startsWith('"')) return said
    if (/\s$/.test(said)) return `${quoted(said.trimEnd())} `
    return readAmount(printed, at) ? said.replace(/\S*\d\S*|\S+$/, quoted) : said
  })
}
