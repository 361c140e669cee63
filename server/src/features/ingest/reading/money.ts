import { type Amount, type Part, partsOf } from './amounts.ts'
import { oneCurrency } from './currencies.ts'
import { plainWord, priceLabels } from './price-labels.ts'
import { cleanText } from './text.ts'

/**
 * What a price cell says: the amount, and the currency that a sign or code beside it names. `$` is some dollar, several
 * that contradict each other are one text of all, and what isn't known stands as it is written.
 */
export type Money = { amount: number; currency: string | null }

/** How a column writes its numbers: which of the two marks begins the decimals. */
export type DecimalMark = '.' | ','

/** Whether an amount is one that is looked for, from the text before it, its own and the text behind it. */
export type IsMeant = (before: string, amount: string, after: string) => boolean

const plainAmount = /^\d{1,9}(?:\.\d{1,2})?$/
/** An amount with its sign and commas in it, as most shops print it. */
const printedAmount = /^[$€£₹]\s?(?:\d{1,9}|\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})(?:\.\d{1,2})?$/
const printedSigns: Record<string, string> = { $: '$', '€': 'EUR', '£': 'GBP', '₹': 'INR' }
const longestText = 200
const longestWritten = 1_000
/** Marks of direction and joiners, as right-to-left texts have them. */
const invisible = /\p{Cf}+/gu

/**
 * Reads a price: plain or typed numbers, signs and words around that are known, thousands separators of either kind.
 * Numbers without a currency count only where none has one; of several amounts that are meant the first counts. 'unclear'
 * where something stands beside it that nobody knows, null where there is no amount.
 */
export function readMoney(value: unknown, mark: DecimalMark, isMeant?: IsMeant): Money | 'unclear' | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? { amount: toCents(value), currency: null } : null
  if (typeof value !== 'string') return null
  if (mark === '.') {
    if (plainAmount.test(value)) return { amount: Number(value), currency: null }
    if (printedAmount.test(value))
      return {
        amount: Number(value.slice(1).replaceAll(',', '')),
        currency: printedSigns[value.charAt(0)] ?? null,
      }
  }
  const text = plainText(value)
  if (text === '' || text.length > longestText) return null
  if (/^[+-]?\d+(?:\.\d+)?e[+-]?\d+$/i.test(text)) return { amount: toCents(Number(text)), currency: null }
  const parts = partsOf(text)
  const amounts = parts.flatMap((part, at) =>
    part.kind === 'amount' && !isPercent(parts, at) ? [{ part, at }] : [],
  )
  const signed = amounts.filter(({ part }) => isSigned(part))
  const meant = (signed.length > 0 ? signed : amounts).filter(
    ({ part }) => isMeant?.(text.slice(0, part.start), part.text, text.slice(part.end)) ?? true,
  )
  const [first, ...others] = meant
  if (!first) return null
  const chosen = rangeStart(parts, first)
  const isClear =
    isWhole(parts, chosen.at, text) &&
    areLabels(neighboursOf(parts, chosen.at)) &&
    (signed.length > 0 || isAlone(parts, chosen.part, others, text))
  const amount = isClear ? amountOf(chosen.part, mark) : null
  if (amount === null || others.some(({ part }) => isReduced(part, chosen.part, mark))) return 'unclear'
  return {
    amount: toCents(isNegative(parts, chosen.at, text) ? -amount : amount),
    currency: oneCurrency(
      parts.flatMap((part) =>
        part.kind === 'amount' ? part.currencies : part.kind === 'sign' ? [part.currency] : [],
      ),
    ),
  }
}

/** A text without entities, tags, marks of direction and other than western digits; its lines stay apart. */
function plainText(value: string): string {
  if (value.length > longestWritten) return ''
  if (/^[ -%'-;=?-~\n]*$/.test(value)) return value.trim()
  const lines = value.split('\n').map((line) => cleanText(line, longestWritten))
  return westernDigits(lines.join('\n')).replace(invisible, '').trim()
}

/** How many numbers a text has, percentages left out. */
export function countAmounts(text: string): number {
  const parts = partsOf(plainText(text))
  return parts.filter(({ kind }, at) => kind === 'amount' && !isPercent(parts, at)).length
}

/** The words of a text of money, as `plainWord` gives them, but for those that name a currency. */
export function wordsBeside(text: string): string[] {
  return partsOf(plainText(text)).flatMap((part) => (part.kind === 'word' ? [plainWord(part.text)] : []))
}

function isPercent(parts: readonly Part[], at: number): boolean {
  const [before, behind] = [parts[at - 1], parts[at + 1]]
  const isGlued = before?.kind === 'other' && before.end === parts[at]?.start
  return /^[%％٪]$/.test(behind?.text ?? '') || (isGlued && before.text === '%')
}

/** Whether something beside a number says that it is money. */
function isSigned({ currencies, isInCents }: Amount): boolean {
  return currencies.length > 0 || isInCents
}

/** Whether a number is all that is written there, and no piece of a date, a time, a telephone number or a fraction. */
function isWhole(parts: readonly Part[], at: number, text: string): boolean {
  const part = parts[at]
  if (part?.kind !== 'amount') return false
  // Cents on a line of their own, or after a mark that stands apart.
  if (/^\d+$/.test(part.text) && /^[\s.,:|]{1,3}\d\d(?![\d%.,])/.test(text.slice(part.to))) return false
  const pieces = [-1, 1].filter((step) => {
    const [beside, beyond] = [parts[at + step], parts[at + 2 * step]]
    const between = (other: Amount) =>
      step > 0 ? text.slice(part.end, other.start) : text.slice(other.end, part.start)
    if (beside?.kind === 'amount') {
      if (isSigned(beside) || isPercent(parts, at + step)) return false
      const mayBePrice = step > 0 || (/[.,]\d\d$/.test(beside.text) && beside.text !== part.text)
      return mayBePrice || !/\s/.test(between(beside))
    }
    if (beside?.kind !== 'other') return false
    const isGlued = step > 0 ? beside.start === part.end : beside.end === part.start
    if (isGlued && /\p{N}/u.test(beside.text)) return true
    if (beyond?.kind !== 'amount' || /\s/.test(between(beyond)) || between(beyond).length > 1) return false
    return !(/^[-–—~]$/.test(beside.text) && (isSigned(part) || isRange(part, beyond, text)))
  })
  return pieces.length === 0
}

/** Whether two numbers are the ends of a range (`5 - 9`) rather than pieces of a date or a telephone number (`5-9`). */
function isRange(one: Amount, other: Amount, text: string): boolean {
  const between = text.slice(Math.min(one.end, other.end), Math.max(one.start, other.start))
  const haveCents = [one, other].every((amount) => /[.,]\d\d$/.test(amount.text))
  return /^\s+(?:[-–—~]|\p{L}{1,3})\s+$/u.test(between) || (haveCents && /^[-–—~]$/.test(between))
}

type Found = { part: Amount; at: number }

/** The lower end of a range whose upper end alone has the currency: `5 - 9 €`. */
function rangeStart(parts: readonly Part[], found: Found): Found {
  const [start, between] = [parts[found.at - 2], parts[found.at - 1]]
  const isJoined = /^[-–—~]$/.test(between?.text ?? '') || rangeWord.test(between?.text ?? '')
  const isBehind = found.part.from === found.part.start && isSigned(found.part)
  const isStart = isJoined && start?.kind === 'amount' && !isSigned(start) && isBehind
  return isStart && !isPercent(parts, found.at - 2) ? { part: start, at: found.at - 2 } : found
}

/** Whether nothing but known words stands in a text whose amounts name no currency, and no other amount but a range's end. */
function isAlone(parts: readonly Part[], chosen: Amount, others: readonly Found[], text: string): boolean {
  const [other, ...more] = others
  if (more.length > 0 || (other && !isRange(chosen, other.part, text))) return false
  const words = parts.flatMap((part) => (part.kind === 'word' ? [part.text] : []))
  return areLabels(words.filter((word) => !(other && rangeWord.test(word))))
}

/** Between two amounts it makes them a range; before one alone it would say that it is the highest. */
const rangeWord = /^(?:to|bis|à|a|til|till|tot|do|fino)$/i
const isPassed = [/^[(["“'‘*/&=]$/, /^[(["”'’*/&=+–—-]$/] as const
/** Before a number they say that it is more, less or about that much. */
const changesMeaning = /^[+<>~≈≤≥±^#@\\]$/

/** The word right before a number and its currency, and the one right behind, whatever brackets stand between. */
function neighboursOf(parts: readonly Part[], at: number): string[] {
  return [-1, 1].flatMap((step) => {
    let beside = at + step
    const passed = step < 0 ? isPassed[0] : isPassed[1]
    while (parts[beside]?.kind === 'other' && passed.test(parts[beside]?.text ?? '')) beside += step
    const part = parts[beside]
    const isInRange = step > 0 && parts[beside + step]?.kind === 'amount' && rangeWord.test(part?.text ?? '')
    if (isInRange) return []
    return part?.kind === 'word' || (part?.kind === 'other' && changesMeaning.test(part.text))
      ? [part.text]
      : []
  })
}

function areLabels(words: readonly string[]): boolean {
  return words.every((word) => priceLabels.has(plainWord(word)))
}

/** Whether a minus stands before an amount, or brackets around it; a dash behind a word or an amount is none. */
function isNegative(parts: readonly Part[], at: number, text: string): boolean {
  const [part, before] = [parts[at], parts[at - 1]]
  if (/^\([^()]*\)$/.test(text)) return true
  if (part?.kind !== 'amount' || before?.kind !== 'other' || !/^[-−–]$/.test(before.text)) return false
  return at === 1 || (before.end === part.from && parts[at - 2]?.kind !== 'amount')
}

/** Whether a later amount of the same currency is lower: then the first may be what something cost before, and begins no range. */
function isReduced(later: Amount, first: Amount, mark: DecimalMark): boolean {
  const isSame = isSigned(later) && later.currencies.join() === first.currencies.join()
  const [one, other] = [later, first].map((amount) => (isSame ? amountOf(amount, mark) : null))
  return one != null && other != null && one < other
}

/** What an amount is in whole units; null where its digits make no number. */
function amountOf({ text, currencies, isInCents }: Amount, mark: DecimalMark): number | null {
  if (isInCents) return /^\d+$/.test(text) ? Number(text) / 100 : null
  // Printed with its currency it isn't a computed one, so that its three last digits might be either.
  if (currencies.length > 0 && mark === '.' && /^[1-9]\d{0,2}\.\d{3}$/.test(text)) return null
  return parseAmount(text, mark)
}

/** The number that digits in groups mean; null where their marks make no number. One mark followed by three digits is read by the column's own habit. */
function parseAmount(written: string, mark: DecimalMark): number | null {
  const digits = written
    .replace(/[.,'’]+$/, '')
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .replaceAll('’', "'")
  const marks = digits.match(/\D/g) ?? []
  const last = marks.at(-1)
  if (last === undefined) return Number(digits)
  const groups = digits.split(/\D/)
  const ending = groups.at(-1) ?? ''
  const [group] = marks
  const isMixed = last !== group
  if (isMixed && marks.slice(0, -1).some((other) => other !== group)) return null
  let hasDecimals = isMixed && (last === '.' || last === ',')
  if (marks.length === 1) {
    const isThousand = /^[1-9]\d{0,2}$/.test(groups[0] ?? '') && ending.length === 3
    // Nobody writes prices with three decimals by hand, but computed ones come with a dot.
    if (last === '.' || last === ',') hasDecimals = !(isThousand && (last === ',' || mark === ','))
    // Cents set apart by a space alone, as pages with raised cents are copied.
    else hasDecimals = last === ' ' && ending.length === 2
  }
  if (!hasDecimals) return areGroups(groups, group) ? Number(groups.join('')) : null
  const whole = groups.slice(0, -1)
  if (whole.length > 1 && !areGroups(whole, group)) return null
  return Number(`${whole.join('')}.${ending}`)
}

/** Groups of three digits, or of two before the last three, which only commas set apart. */
function areGroups(groups: readonly string[], mark: string | undefined): boolean {
  const written = groups.join(' ')
  return /^\d{1,3}(?: \d{3})+$/.test(written) || (mark === ',' && /^\d{1,2}(?: \d{2})+ \d{3}$/.test(written))
}

/** Arabic, Persian, Devanagari and full-width digits as 0 to 9, Arabic separators as dot and comma. */
export function westernDigits(text: string): string {
  if (!/[\u0660-\u066c\u06f0-\u06f9\u0966-\u096f\uff10-\uff19\uff0c\uff0e]/.test(text)) return text
  return text
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff10-\uff19]/g, (digit) => {
      const code = digit.charCodeAt(0)
      const zero = code >= 0xff10 ? 0xff10 : code >= 0x0966 ? 0x0966 : code >= 0x06f0 ? 0x06f0 : 0x0660
      return String(code - zero)
    })
    .replace(/[\u066b\uff0e]/g, '.')
    .replace(/[\u066c\uff0c]/g, ',')
}

/** Which mark the texts of a column use for decimals, as far as they tell; `fallback` otherwise. */
export function decimalMarkOf(texts: readonly unknown[], fallback: DecimalMark): DecimalMark {
  let dots = 0
  let commas = 0
  for (const text of texts) {
    if (typeof text !== 'string') continue
    if (/\d,\d{3}\.\d|\d\.\d{1,2}(?!\d|[.,]\d)/.test(text)) dots += 1
    else if (/\d\.\d{3},\d|\d,\d{1,2}(?!\d|[.,]\d)/.test(text)) commas += 1
  }
  return dots === commas ? fallback : dots > commas ? '.' : ','
}

function toCents(amount: number): number {
  return Math.round(amount * 100 + (amount < 0 ? -1e-6 : 1e-6)) / 100
}
