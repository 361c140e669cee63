import { countAmounts, type DecimalMark, type Money, readMoney, wordsBeside } from './money.ts'
import { nowLabels, plainWord, priceLabels } from './price-labels.ts'

/** What an amount in a cell is when it isn't what one item costs now. */
type AmountKind = NoPrice | 'former'
/** Why a cell holds amounts and yet no price. */
export type NoPrice = 'several' | 'unit' | 'instalment' | 'saving' | 'extra' | 'unclear'

export const noPriceReasons: Record<NoPrice, string> = {
  several: 'the price is for several together',
  unit: 'the price is per unit',
  instalment: 'the price is an instalment',
  saving: 'the price cell states a saving only',
  extra: 'the price cell states shipping or a fee only',
  unclear: 'the price can’t be read beyond doubt',
}

const sign = String.raw`(?:[A-Z]{0,3}\s?\p{Sc}|円|zł|[A-Z]{3}(?!\p{L})|Rs\.?|kr\.?|TL(?!\p{L}))?`
const ends = (words: string) => new RegExp(String.raw`${words}\s*${sign}\s*$`, 'iu')
const begins = (words: string) => new RegExp(String.raw`^\s?${sign}\s*\(?${words}`, 'iu')
const word = (words: string) => String.raw`(?<!\p{L})(?:${words})(?!\p{L})`

const per = String.raw`(?:\/|(?:per|pro|por|par|je|a|al)\s)\s*`
const units = String.raw`(?:\d+\s?)?(?:oz|ounces?|fl\.? ?oz|fluid ounces?|lbs?|pounds?|[km]?g|gramm?[es]?s?|kilo(?:gramm?[eo]?)?s?|[cdm]?l|lit(?:er|re|ro)s?|gal(?:lon)?s?|counts?|ct|sq(?:uare)?|ft|foot|in|inch|yards?|[cm]?m[²2]?|met(?:er|re|ro)s?|sheets?|loads?|pods?|tablets?|capsules?|servings?|washes|stück|st|unités?|unidades?|pezz[oi]|stuks?)(?![\p{L}\d])`
const months = String.raw`(?:mo|mth|months?|monthly|weekly|yearly|annually|daily|monat|monatlich|mtl|mois|mes|mês|mese|maand|weeks?|woche|years?|jahr)(?!\p{L})`
const times = String.raw`[x×]\s*(?:de\s*)?`
const together = String.raw`(?:for|für|pour|por|per|voor|za)\s*:?\s*`
const savings = String.raw`(?:you )?sav(?:es?|ed|ings?)|(?:sie )?sparen|spare|économisez|ahorr[ao]s?|risparmi\p{L}*|economi[sz]e|bespaar`
const extras = String.raw`shipping|delivery|postage|handling|s&h|versand(?:kosten)?|livraison|port|envío|frete|spedizione|verzend\p{L}*|tax(?:es)?|fees?|deposit|pfand|trade-?in`
const formerly = String.raw`was|list(?: price)?|m\.?r\.?p\.?|msrp|rrp|uvp|statt|instead of|original(?:ly|preis)?(?: price)?|reg(?:ular)?\.?(?: price)?|typical(?: price)?|before|antes|avant|de`

/** What an amount is by the text that ends right before it. */
const before: ReadonlyArray<[AmountKind, RegExp]> = [
  ['saving', ends(String.raw`${word(savings)}\s*:?\s*(?:up to)?`)],
  ['several', ends(String.raw`(?<![\d.,\p{Sc}]\s?)\d{1,2}\s*${together}`)],
  ['several', ends(String.raw`(?<![\d.,/\p{Sc}]\s?)\d{1,2}\s?/`)],
  ['instalment', ends(String.raw`\d\s*${times}`)],
  ['unit', /[\d\p{Sc}]\s?\/\s?$/u],
  [
    'extra',
    ends(String.raw`(?<!(?:free|gratis|incl?\.?|including|inkl\.?|kostenloser)\s)${word(extras)}\s*:?`),
  ],
  ['former', ends(String.raw`${word(formerly)}\s*:?`)],
]
/** What it is by the text that begins right behind it. */
const behind: ReadonlyArray<[AmountKind, RegExp]> = [
  ['instalment', begins(`(?:${per})?${months}`)],
  ['instalment', begins(String.raw`${times}${sign}\s*\d`)],
  ['several', begins(String.raw`${together}\d{1,2}(?![\d.,]|\s?\p{Sc})`)],
  ['unit', begins(per + units)],
  ['extra', begins(String.raw`(?:for\s)?(?:${extras})(?!\p{L}|\s+(?:incl|inkl|inbegriffen|comprise))`)],
  [
    'saving',
    begins(String.raw`(?:off|rabatt|de réduction|de descuento|de desconto|di sconto|korting)(?!\p{L})`),
  ],
]
const isCount = /^\d{1,2}$/
/** The quantity that a price is for: the `100` of `4.99 per 100 g`. */
const beforeQuantity = /[\d\p{Sc}]\s?(?:\/|(?:per|pro|por|par|je)\s)\s*$/iu
const behindQuantity = begins(units)
/** The number itself of those that cost so much together. */
const beforeTogether = begins(String.raw`${together}${sign}\s*\d`)
const behindTogether = new RegExp(String.raw`\p{Sc}\s?(?:\d[\d.,]*\s*)?${together}$`, 'iu')

function kindOf(textBefore: string, amount: string, textBehind: string): AmountKind | undefined {
  const kind =
    before.find(([, words]) => words.test(textBefore))?.[0] ??
    behind.find(([, words]) => words.test(textBehind))?.[0]
  if (kind === undefined && beforeQuantity.test(textBefore) && behindQuantity.test(textBehind)) return 'unit'
  if (kind !== undefined || !isCount.test(amount.trim())) return kind
  return beforeTogether.test(textBehind) || behindTogether.test(textBefore) ? 'several' : undefined
}

/** What stands right before an amount as the name of it, or as what costs that much: `Coupon: $5`, `ships for $5`. */
const named = ends(String.raw`(\p{L}[\p{L}\p{M}.’'-]*)\s*(?::|\s(?:from|for|ab|desde)\s)`)

/** Whether an amount is said to be of something that isn't known to be the price. */
function isNamedOtherwise(textBefore: string): boolean {
  const name = named.exec(textBefore)?.[1]
  return name !== undefined && !priceLabels.has(plainWord(name))
}

/** How many are in a pack is no amount, and leaves a price beside it what it is: `$9.99 (Pack of 3)`. Of several packs it may not. */
const pack =
  /(?<![\p{L}\d.,])(?<!(?:for|für|pour|por|per)\s)(?:(?:pack|set|box|case|bundle) of \d{1,4}|\d{1,4}[- ]?(?:pack|pk|count pack))(?![\p{L}\d]|[.,]\d|\s*(?:for|für|pour|por|per)(?!\p{L}))(?:\s*[-–—](?=\s))?/giu

/** Only where words or a stroke stand beside an amount can they turn it into another thing. */
const hasWords = /[\p{L}/×]/u

/** Reads what one item costs now; why not, when the cell's amounts are all something else, and null when it has none. */
export function readPrice(value: unknown, mark: DecimalMark): Money | NoPrice | null {
  return readAmount(value, mark, (before) => (isNamedOtherwise(before) ? 'unclear' : undefined))
}

function readAmount(
  value: unknown,
  mark: DecimalMark,
  otherKind: (before: string) => AmountKind | undefined,
): Money | NoPrice | null {
  if (typeof value !== 'string' || !hasWords.test(value)) return readMoney(value, mark)
  const text = value.replace(pack, ' ')
  const kinds: AmountKind[] = []
  const price = readMoney(text, mark, (...texts) => {
    const kind = kindOf(...texts) ?? otherKind(texts[0])
    if (kind) kinds.push(kind)
    return kind === undefined
  })
  if (price !== null) return price
  const [reason] = kinds.filter((kind) => kind !== 'former')
  if (!kinds.includes('former')) return reason ?? null
  // 'MRP ₹500' alone, in a column of prices, is the price.
  const isAlone = countAmounts(text) === kinds.length
  return isAlone ? readMoney(text, mark, (...texts) => kindOf(...texts) === 'former') : 'unclear'
}

const mostWords = 4

/** Reads what an item cost before: 'unit' for the price of a unit, 'text' for a number that stands in some other text. */
export function readOriginal(value: unknown, mark: DecimalMark): Money | 'unit' | 'text' | null {
  const found = readAmount(value, mark, () => undefined)
  if (found === null) return null
  if (typeof found === 'string') return found === 'unit' ? 'unit' : 'text'
  if (found.currency === null || typeof value !== 'string' || !hasWords.test(value)) return found
  const words = wordsBeside(value)
  return words.length <= mostWords || words.every((word) => priceLabels.has(word)) ? found : 'text'
}

const longestAlone = 40

/** Whether a text is an amount of money and nothing else, but for a currency, which it must have, and known short labels. */
export function isMoneyAlone(text: string): boolean {
  const price = text.length > longestAlone ? null : readPrice(text, '.')
  if (price === null || typeof price === 'string' || price.currency === null) return false
  return wordsBeside(text).every((word) => nowLabels.has(word))
}
