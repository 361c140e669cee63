import type { ImportField } from '@dealdeck/contract/ingest'
import { currencyCodes, currencyOfName } from './currencies.ts'
import { choosingOrder, foreignParts, recognition } from './fields.ts'
import { leavePrice, namesPriceOf, type PriceTime } from './money-names.ts'

const wrapperWords = new Set([
  'value',
  'amount',
  'raw',
  'text',
  'display',
  'displayvalue',
  'displayamount',
  'money',
  'string',
  'formatted',
  'message',
  'html',
])
const codes = new Set(currencyCodes)
const currencyWords = new Set([...codes, 'in', 'us', 'dollar', 'dollars', 'number', 'float'])
const nouns = new Set([
  'product',
  'products',
  'item',
  'items',
  'deal',
  'deals',
  'amazon',
  'listing',
  'listings',
  'offer',
  'offers',
  'offersv2',
  'info',
  'data',
  'main',
  'basic',
])

/** No name that means a field is nearly as long, and the patterns below take long over endless ones. */
const longestName = 300

/** The same names are compared with each field, and come again with the next body. */
const plainNames = new Map<string, string>()
const mostPlainNames = 5_000

/** Letters of their own, which Unicode takes for no letter with an accent, as the lists of names write them. */
const plainLetters: Record<string, string> = { ł: 'l', ı: 'i', ø: 'o', đ: 'd', æ: 'ae', œ: 'oe', ß: 'ss' }

/** A column's name for comparing: words apart (also of camelCase), lower case, no accents, no list positions. */
export function plainName(name: string): string {
  const known = plainNames.get(name)
  if (known !== undefined) return known
  const plain = plainOf(name.slice(0, longestName))
  if (plainNames.size >= mostPlainNames) plainNames.clear()
  if (name.length <= longestName) plainNames.set(name, plain)
  return plain
}

function plainOf(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[łıøđæœß]/g, (letter) => plainLetters[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/(?:^| )\d+(?= |$)/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
}

const ranks = new Map(
  choosingOrder.map((field) => {
    const { names } = recognition[field]
    return [field, new Map(names.map((name, rank) => [plainName(name), rank]))] as const
  }),
)

/** Of how many words the longest of them is: no longer ending of a column's name is one. */
const mostWords = Math.max(
  ...[...ranks.values()].flatMap((rank) => [...rank.keys()].map((name) => name.split(' ').length)),
)

/** How strongly a column's name speaks for a field: 1000 for the best name there is, 0 for none. */
export function nameScore(field: ImportField, columnName: string): number {
  const rank = ranks.get(field)
  const name = plainName(columnName)
  if (!rank || name === '') return 0
  const exact = rank.get(name)
  const isNested = columnName.includes('.')
  if (exact !== undefined && !isNested) return 1000 - exact * 3
  const words = trimWords(name.split(' '))
  if (words.length === 0) return exact === undefined ? 0 : 990 - exact * 3
  const trimmed = rank.get(words.join(' '))
  if (trimmed !== undefined && !isNested) return 940 - trimmed * 3
  const hasForeignPart = words.some((word) => foreignParts.has(word))
  if (hasForeignPart && isNested) return 0
  const depth = columnName.split('.').length - 1
  if (exact !== undefined || trimmed !== undefined) return 860 - (exact ?? trimmed ?? 0) * 3 - depth * 20
  return hasForeignPart ? 0 : endingScore(field, words, rank, depth)
}

/** Whether a column's name speaks for any field. */
export function meansField(columnName: string): boolean {
  return choosingOrder.some((field) => nameScore(field, columnName) > 0)
}

/** Whether a column's name means what things cost before (`list price`, `MRP`, `UVP`) and not what they cost now. */
export function meansFormerPrice(columnName: string): boolean {
  return nameScore('original_price', columnName) > nameScore('price', columnName)
}

/** The currency that a column's name says (`price_eur`, `Price (EUR)`, `Preis in €`), as an ISO 4217 code; null for none. */
export function currencyInName(columnName: string): string | null {
  const words = plainName(columnName).split(' ')
  while (words.length > 1 && wrapperWords.has(words.at(-1) ?? '')) words.pop()
  return currencyOfName(columnName.slice(0, longestName), words)
}

/** Names that say nothing at the end of a longer one: an `EAN list` is none of prices. */
const wholeNames = new Set(['list', 'listed', 'actual'])

/** The fields of prices, whose names have to be understood to the last word. */
const priceTimes: Partial<Record<ImportField, PriceTime>> = { price: 'now', original_price: 'before' }

/** `offers price` ends in a name of the price; what stands before must not turn it into another thing. */
function endingScore(
  field: ImportField,
  words: readonly string[],
  rank: ReadonlyMap<string, number>,
  depth: number,
): number {
  const { traps } = recognition[field]
  const time = priceTimes[field]
  for (let from = Math.max(1, words.length - mostWords); from < words.length; from++) {
    const ending = words.slice(from).join(' ')
    const found = rank.get(ending)
    if (found === undefined || wholeNames.has(ending)) continue
    const before = words.slice(0, from)
    if (before.some((word) => traps?.has(word)) || (time && !leavePrice(before, time))) return 0
    const strange = before.filter((word) => !nouns.has(word)).length
    return Math.max(1, 720 - found * 3 - strange * 60 - depth * 20)
  }
  return time && namesPriceOf(words, time) ? Math.max(1, 500 - depth * 20) : 0
}

/** Without the noise around: `product price in usd value` says `price`. */
function trimWords(words: readonly string[]): string[] {
  let end = words.length
  while (end > 1 && (wrapperWords.has(words[end - 1] ?? '') || currencyWords.has(words[end - 1] ?? '')))
    end -= 1
  let start = 0
  while (start < end - 1 && (nouns.has(words[start] ?? '') || codes.has(words[start] ?? ''))) start += 1
  return words.slice(start, end)
}
