/** What a price cell says: the amount, and the currency when a sign or code beside it names one. */
export type Money = { amount: number; currency: string | null }

/** How a column writes its numbers: which of the two marks begins the decimals. */
export type DecimalMark = '.' | ','

const isoCodes =
  'USD|CAD|MXN|BRL|GBP|EUR|PLN|SEK|TRY|AED|SAR|EGP|ZAR|INR|JPY|SGD|AUD|NZD|CHF|DKK|NOK|CZK|HUF|RON|CNY|HKD|KRW|THB|GPB|RMB'
const isoCode = new RegExp(`(?<![A-Za-z])(${isoCodes})(?![A-Za-z])`, 'i')

/** Codes and words of currencies as they stand in columns' names, in lower case. */
const nameCodes = new Map([
  ...isoCodes
    .toLowerCase()
    .split('|')
    .map((code): [string, string] => [code, code.toUpperCase()]),
  ...(['euro', 'euros'] as const).map((word): [string, string] => [word, 'EUR']),
  ...(['rs', 'rupee', 'rupees'] as const).map((word): [string, string] => [word, 'INR']),
])
export const currencyCodes: readonly string[] = [...nameCodes.keys()]

/** Signs by what they certainly mean, the longer first. A bare `$` fits every dollar and is ambiguous. */
const signs: ReadonlyArray<[RegExp, string]> = [
  [/R\$/, 'BRL'],
  [/(?<![A-Za-z])(?:CDN|CA|C)\s?\$/, 'CAD'],
  [/(?<![A-Za-z])(?:AU|A)\s?\$/, 'AUD'],
  [/(?<![A-Za-z])(?:SG|S)\s?\$/, 'SGD'],
  [/(?<![A-Za-z])(?:MXN?|MEX)\s?\$/i, 'MXN'],
  [/HK\s?\$/, 'HKD'],
  [/US\s?\$/, 'USD'],
  [/€|(?<![a-z])euros?(?![a-z])/i, 'EUR'],
  [/E£|ج\.?م/, 'EGP'],
  [/£/, 'GBP'],
  [/₹|(?<![a-z])Rs\.?(?=\s?\d)/i, 'INR'],
  [/[¥￥円]/, 'JPY'],
  [/zł/i, 'PLN'],
  [/₺|(?<![a-z])TL(?![a-z])/i, 'TRY'],
  [/د\.?إ/, 'AED'],
  [/ر\.?س/, 'SAR'],
  [/(?<![a-z])kr(?![a-z])\.?/i, 'SEK'],
  [/₩/, 'KRW'],
  [/(?<![A-Za-z])R(?=\s?\d)/, 'ZAR'],
]
const dollar = '$'

/** A currency as its column names it: a code, a sign or a word; null when it says nothing. Unknown codes stay as they are. */
export function currencyOf(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === dollar) return null
  if (/^[a-z]{3}$/i.test(trimmed)) return trimmed.toUpperCase()
  return signOf(trimmed) ?? null
}

/** What currency a column's name says, such as `price_eur`, `Price (EUR)` or `Preis in €`, given its words too; null for none. */
export function currencyOfName(name: string, words: readonly string[]): string | null {
  const stated = [words.at(-1), words[0]].find((word) => word !== undefined && nameCodes.has(word))
  if (stated !== undefined) return nameCodes.get(stated) ?? null
  const written = /(?:[A-Z]{1,3}\s?)?[$€£₹¥￥円₺₩]|zł/.exec(name)?.[0]
  return written === undefined ? null : currencyOf(written)
}

/** A text without its amounts and currencies: what else it says, and whether it named a currency. */
export function besideMoney(text: string): { rest: string; hasCurrency: boolean } {
  const unsigned = signs.reduce((left, [sign]) => left.replace(sign, ' '), text.replace(isoCode, ' '))
  const rest = unsigned.replaceAll(dollar, ' ')
  return {
    rest: rest.replace(/(?:(?<!\w)[.,])?\d[\d.,'’]*/g, ' ').trim(),
    hasCurrency: rest !== text,
  }
}

function signOf(text: string): string | undefined {
  return isoCode.exec(text)?.[1]?.toUpperCase() ?? signs.find(([sign]) => sign.test(text))?.[1]
}

const plainAmount = /^\d{1,9}(?:\.\d{1,2})?$/
// Below one, the zero may be left out: '$.89'.
const number =
  /[-−(]?\s?(?:\d(?:[\d.,'’٫٬]|[ \u00a0\u202f\u2009](?=\d{3}(?!\d)|\d\d$))*|(?<![\w.,])[.,]\d{1,2}(?![\d.,]))/g
const cents = /^(?:\s?(?:¢|￠|cents?\b)|c\b)/

/** Whether an amount is one that is looked for, from the text before it, its own and the text behind it. */
export type IsMeant = (before: string, amount: string, after: string) => boolean

/**
 * Reads a price: plain or typed numbers, currency signs and words around, thousands separators of either kind.
 * Of several amounts that are meant the one beside a currency sign counts, else the first. Null when there is none.
 */
export function readMoney(value: unknown, mark: DecimalMark, isMeant?: IsMeant): Money | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? { amount: toCents(value), currency: null } : null
  if (typeof value !== 'string') return null
  if (plainAmount.test(value) && mark === '.') return { amount: Number(value), currency: null }
  const text = westernDigits(value).trim()
  if (text === '' || text.length > 200) return null
  if (/^[+-]?\d+(?:\.\d+)?e[+-]?\d+$/i.test(text)) return { amount: toCents(Number(text)), currency: null }
  const found = amountIn(text, isMeant)
  if (found === undefined) return null
  const amount = parseAmount(found, mark)
  return amount === null ? null : { amount: toCents(amount), currency: signOf(text) ?? null }
}

function amountIn(text: string, isMeant?: IsMeant): string | undefined {
  const amounts = [...text.matchAll(number)].filter(({ 0: found, index }) => {
    const after = text.slice(index + found.length)
    return !/^\s?%/.test(after) && (isMeant?.(text.slice(0, index), found, after) ?? true)
  })
  const signed = amounts.find(({ 0: found, index }) => {
    const before = text.slice(Math.max(0, index - 4), index)
    const after = text.slice(index + found.length, index + found.length + 4)
    return (
      /[$€£₹¥￥₺₩]\s?$|(?:[A-Z]{3}|Rs\.?|zł|kr)\s?$/.test(before) ||
      /^\s?(?:[$€£₹¥￥円₺₩]|[A-Z]{3}\b|zł|kr|TL)/.test(after)
    )
  })
  const chosen = signed ?? amounts[0]
  if (!chosen) return undefined
  const isNegative = /[-−]\s?[^\d\s]{0,3}\s?$/.test(text.slice(0, chosen.index)) || /^[-−(]/.test(chosen[0])
  // A hyphen between two amounts is a range, not a minus.
  const isRange = /\d\s*[-−–]\s*[^\d\s]{0,3}\s?$/.test(text.slice(0, chosen.index))
  const amount = chosen[0].replace(/^[-−(]/, '').trim()
  const isInCents = /^\d{1,2}$/.test(amount) && cents.test(text.slice((chosen.index ?? 0) + chosen[0].length))
  return `${isNegative && !isRange ? '-' : ''}${isInCents ? `0.${amount.padStart(2, '0')}` : amount}`
}

/** The number a written amount means. One mark followed by three digits is read by the column's own habit. */
function parseAmount(written: string, mark: DecimalMark): number | null {
  const isNegative = written.startsWith('-')
  let digits = written.replace(/^-/, '').replace(/[.,'’]+$/, '')
  // Cents set apart by a space alone, as pages with raised cents are copied.
  digits = digits.replace(/[ \u00a0\u202f\u2009](\d\d)$/, (cents) =>
    /[.,]/.test(digits) ? cents : `.${cents.slice(1)}`,
  )
  digits = digits.replace(/[ \u00a0\u202f\u2009'’]/g, '')
  const dots = digits.split('.').length - 1
  const commas = digits.split(',').length - 1
  let decimal: string
  if (dots > 0 && commas > 0) decimal = digits.lastIndexOf('.') > digits.lastIndexOf(',') ? '.' : ','
  else if (dots + commas === 0 || dots > 1 || commas > 1) decimal = ''
  else {
    const isThousand = /^\d{1,3}[.,]\d{3}$/.test(digits) && !/^0/.test(digits)
    // Nobody writes prices with three decimals by hand, but computed ones come with a dot.
    decimal = isThousand && (commas === 1 || mark === ',') ? '' : dots === 1 ? '.' : ','
  }
  const whole =
    decimal === ''
      ? digits.replace(/[.,]/g, '')
      : digits.replaceAll(decimal === '.' ? ',' : '.', '').replace(',', '.')
  const amount = Number(whole)
  if (whole === '' || !Number.isFinite(amount)) return null
  return isNegative ? -amount : amount
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
