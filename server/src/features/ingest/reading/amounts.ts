import { currencyNamed } from './currencies.ts'

/** A number in a text, with what stands beside it. */
export type Amount = {
  kind: 'amount'
  /** Its digits and separators as they are written. */
  text: string
  /** Where its digits begin and end in the text. */
  start: number
  end: number
  /** What the signs and words beside it name: ISO 4217 codes, `$`, or what nobody knows as it stands. */
  currencies: string[]
  /** Written in hundredths: `99¢`, `99c`, `99 cents`. */
  isInCents: boolean
  /** Where it begins and ends with its currencies. */
  from: number
  to: number
}
/** A word or a mark of a text. */
type Beside = { kind: 'word' | 'other'; text: string; start: number; end: number }
/** What names a currency, with what it names. */
type Sign = { kind: 'sign'; text: string; start: number; end: number; currency: string }
export type Part = Amount | Beside | Sign

// Below one, the zero may be left out: '$.89'.
const partPattern =
  /(?<amount>\d(?:[\d.,'’]|[ \u00a0\u202f\u2009](?=\d{3}(?!\d)|\d\d$))*|(?<![\w.,])[.,]\d{1,2}(?![\d.,]))|(?<sign>\p{Sc})|(?<word>\p{L}[\p{L}\p{M}]*(?:['’.]\p{L}[\p{L}\p{M}]*)*\.?)|\n|\S/gu
/** How whole amounts are written without cents: `20,-`, `500/-`, `100:-`. */
const wholeMark = /(?<=\d)(?:[.,][-–—]{1,2}|\/-|:-)(?!\s?\d)/g

/** A text's numbers and what stands between them, in order; a sign stands there only where it is beside no number. */
export function partsOf(text: string): Part[] {
  const parts = withCurrencies(split(text.replace(wholeMark, (mark) => ' '.repeat(mark.length))))
  const isSuffix = parts[parts.findLastIndex(({ kind }) => kind === 'amount') + 1]?.kind === 'sign'
  const attached = new Set<Part>()
  for (let at = 0; at < parts.length; at++) {
    if (parts[at]?.kind !== 'sign') continue
    let last = at
    while (parts[last + 1]?.kind === 'sign') last += 1
    attach(parts, at, last, isSuffix, attached)
    at = last
  }
  return parts.filter((part) => !attached.has(part))
}

function split(text: string): Part[] {
  return [...text.matchAll(partPattern)].map(({ 0: found, index: start, groups }): Part => {
    const at = { text: found, start, end: start + found.length }
    if (groups?.amount)
      return { kind: 'amount', ...at, currencies: [], isInCents: false, from: start, to: at.end }
    if (groups?.sign) return { kind: 'sign', ...at, currency: currencyNamed(found) ?? found }
    return { kind: groups?.word ? 'word' : 'other', ...at }
  })
}

/** Words that name currencies become signs, with the letters before a sign that say whose it is (`NZ$`), without brackets. */
function withCurrencies(parts: readonly Part[]): Part[] {
  const found: Part[] = []
  for (const [at, part] of parts.entries()) {
    const last = found.at(-1)
    if (part.kind === 'sign') {
      const whose = last?.kind === 'word' ? signWith(last, part) : undefined
      if (whose) found.pop()
      if (found.at(-1)?.text === '(') found.pop()
      found.push(whose ?? part)
    } else if (part.kind === 'word' && last?.kind === 'amount' && areCents(part, last)) {
      last.isInCents = true
    } else if (part.kind === 'word') {
      const currency = namedBy(part, parts[at + 1]) ?? countryOf(part, found.slice(-2))
      if (currency !== undefined && last?.text === '(') found.pop()
      found.push(currency === undefined ? part : { ...part, kind: 'sign', currency })
    } else if (last?.kind !== 'sign' || !/^[):]$/.test(part.text)) found.push(part)
  }
  return found
}

function areCents(word: Beside, { end }: Amount): boolean {
  return /^cents?$/i.test(word.text) || (word.text === 'c' && word.start === end)
}

/** What currency a word names, but for the letters of the sign behind it. */
function namedBy(word: Beside, next: Part | undefined): string | undefined {
  return next?.kind === 'sign' && signWith(word, next) ? undefined : currencyNamed(word.text)
}

/** `$5 CA`, `5 $ US`: the country behind a sign. */
function countryOf({ text }: Beside, before: readonly Part[]): string | undefined {
  const isBehindDollar = before.some((part) => part.text === '$')
  return isBehindDollar && /^\p{Lu}{1,3}$/u.test(text) ? currencyNamed(`${text}$`) : undefined
}

/** A sign with letters before it that make it another; undefined where they are a word of their own. */
function signWith(letters: Beside, sign: Sign): Sign | undefined {
  const isGlued = letters.end === sign.start
  const text = letters.text + sign.text
  const isShort = /^\p{Lu}{1,3}$/u.test(letters.text)
  const known = isGlued || isShort ? currencyNamed(text) : undefined
  if (known === undefined && !(isGlued && isShort)) return undefined
  const currency = known ?? currencyNamed(letters.text) ?? text
  return { kind: 'sign', text, start: letters.start, end: sign.end, currency }
}

/** Gives the signs from the first to the last of a row to the numbers beside them. */
function attach(
  parts: readonly Part[],
  first: number,
  last: number,
  isSuffix: boolean,
  attached: Set<Part>,
): void {
  const [before, behind] = [parts[first - 1], parts[last + 1]]
  const left = before?.kind === 'amount' ? before : undefined
  const right = behind?.kind === 'amount' ? behind : undefined
  for (const [at, sign] of parts.slice(first, last + 1).entries()) {
    if (sign.kind !== 'sign') continue
    const isLefts = !right || (at === 0 && (first < last || belongsLeft(left, sign, right, isSuffix)))
    const owner = left && isLefts ? left : right
    if (!owner) continue
    attached.add(sign)
    owner.currencies.push(sign.currency)
    if (/[¢￠]/.test(sign.text)) owner.isInCents = true
    owner.from = Math.min(owner.from, sign.start)
    owner.to = Math.max(owner.to, sign.end)
  }
}

/** Whether a sign between two numbers is the first one's: it touches just that, or signs stand behind numbers here. */
function belongsLeft(left: Amount | undefined, sign: Sign, right: Amount, isSuffix: boolean): boolean {
  const touches = left?.end === sign.start
  return touches === (right.start === sign.end) ? isSuffix : touches
}
