/** What an amount in a text is: a price of now, or what isn't one. */
type AmountKind = 'price' | 'each' | 'former' | 'saving' | 'bound' | 'unit' | 'several' | 'extra'

/** An amount of money as it is written, with its currency, where it stands, and what the words beside it make of it. */
export type WrittenAmount = {
  text: string
  start: number
  end: number
  value: number
  kind: AmountKind
  /** It is said to be the price, by a word before it: `now` that of now, beside which one that is called `price` is the usual one. */
  named: 'now' | 'price' | 'word' | null
}

/** A title without what it says of prices, and these as they are written, with their currencies. */
export type PricedTitle = { title: string; price?: string; original?: string }

const number = String.raw`\d(?:[\d.,'’\u00a0\u202f]{0,14}\d)?`
const codes = 'INR|USD|EUR|GBP|CAD|AUD|SGD|JPY|PLN|SEK|TRY|AED|SAR|EGP|ZAR|MXN|BRL'
const before = String.raw`(?:(?<![A-Z])(?:US|CA|CDN|C|AU|A|NZ|HK|S|MX|R))?\p{Sc}|(?<!\p{L})(?:Rs\.?|(?:${codes})(?:\s?\p{Sc})?)`
const behind = String.raw`(?:€|\p{Sc}(?!\s?\d)|(?:${codes}|zł|kr|TL|円)(?![\p{L}\d]))`
const money = new RegExp(
  String.raw`(?:${before})\s?(${number})(?:\s?(?:${codes})(?![\p{L}\d]))?|(?<![\d.,])(\d[\d.]{0,12},\d\d)\s?€|(?<![\d.,])(${number})\s?${behind}`,
  'gu',
)

const formerly = String.raw`was|were|list(?: price)?|m\.?r\.?p\.?|msrp|rrp|srp|uvp|statt|reg(?:ular(?:ly)?)?\.?(?: price)?|orig(?:inal(?:ly)?)?\.?(?: price)?|retail(?: price)?|typical(?: price)?|usually|normally|worth|instead of|down from|previous(?:ly)?(?: price)?|before|compare at|old price|au lieu de|prix conseillé|antes|anziché|prezzo consigliato|adviesprijs`
const endsWith: ReadonlyArray<[AmountKind, RegExp]> = [
  ['former', new RegExp(String.raw`(?<!\p{L})(?:${formerly})\s*:?\s*\(?$`, 'iu')],
  ['saving', /(?<!\p{L})(?:saves?|saved|savings?|saving|sparen?|coupon|discount(?: of)?)\s*:?\s*$/iu],
  [
    'bound',
    /(?<!\p{L})(?:under|below|up to|upto|over|above|less than|more than|min(?:imum)?|spend|orders? of|unter|bis zu|ab|from|starting at|starts at|as low as)\s*:?\s*$/iu,
  ],
  ['several', /\d\s*(?:for|für|pour|por|per|x|\/)\s*$/iu],
  ['extra', /(?<!\p{L})(?:shipping|delivery|postage|versand|s&h|tax)\s*:?\s*\+?\s*$/iu],
]
const beginsWith: ReadonlyArray<[AmountKind, RegExp]> = [
  ['each', /^\s*(?:each|ea\b|apiece|pro stück|je stück)/iu],
  ['unit', /^\s*(?:\/(?!-)|per\b|pro\b|a (?:month|piece|count)\b)/iu],
  [
    'saving',
    /^\s*(?:off|rabatt|discount|coupon|savings?|(?:cash ?)?back|credit|gutschein|promo(?:tional)? credit|gift ?card|de réduction|de descuento|di sconto)\b/iu,
  ],
  ['former', /^\s*(?:value|list|msrp|rrp|mrp|retail|reg(?:ular)?)\b/iu],
  ['several', /^\s*(?:for|für|pour)\s+\d/iu],
  ['extra', /^\s*(?:shipping|delivery|postage|s&h|versand|tax)\b/iu],
]
const namings: ReadonlyArray<[NonNullable<WrittenAmount['named']>, RegExp]> = [
  [
    'now',
    /(?<!\p{L})(?:(?:sale|deal|offer|current|your|our|final|special|reduced|discounted|promo(?:tional)?|today.?s|aktueller|unser) (?:price|preis)|angebotspreis|now|jetzt)(?: is)?\s*:?\s*$/iu,
  ],
  ['price', /(?<!\p{L})(?:price|preis|prix|precio|prezzo|preço|prijs|cena)\s*:?\s*$/iu],
  ['word', /(?<!\p{L})(?:only|just|for|sale|deal|today|nur|für)\s*:?\s*$/iu],
]
/** So much of a text beside an amount says what it is. */
const besideLength = 40

/** The amounts of a text that name their currency, in order. */
export function amountsIn(text: string): WrittenAmount[] {
  const found = [...text.matchAll(money)]
  const amounts = found.map((match, at): WrittenAmount => {
    const start = match.index
    const end = start + match[0].length
    const from = at === 0 ? 0 : (found[at - 1]?.index ?? 0) + (found[at - 1]?.[0].length ?? 0)
    const textBefore = text.slice(Math.max(from, start - besideLength), start)
    const textBehind = text.slice(end, Math.min(end + besideLength, found[at + 1]?.index ?? text.length))
    const kind =
      endsWith.find(([, words]) => words.test(textBefore))?.[0] ??
      beginsWith.find(([, words]) => words.test(textBehind))?.[0] ??
      'price'
    const digits = match[1] ?? match[2] ?? match[3] ?? ''
    const said = namings.find(([, words]) => words.test(textBefore))?.[0] ?? null
    return { text: match[0], start, end, value: numberOf(digits), kind, named: said }
  })
  // Whatever goes down from one amount to another costs the other; the two of a range go up.
  for (const [at, amount] of amounts.entries()) {
    const next = amounts[at + 1]
    if (!next || !/^\s?(?:to|→|->|auf)\s?$/iu.test(text.slice(amount.end, next.start))) continue
    if (next.value < amount.value) amount.kind = 'former'
    else for (const one of [amount, next]) one.kind = 'several'
  }
  return amounts
}

/** The number that digits mean where the last mark with one or two digits behind it begins the decimals. */
function numberOf(digits: string): number {
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?$/su.exec(digits) ?? []
  return Number(`${whole.replace(/\D/g, '')}.${decimals || '0'}`)
}

/** Those that may be the price of the item: what each of several costs only where nothing else is. */
export function pricesAmong(amounts: readonly WrittenAmount[]): WrittenAmount[] {
  const prices = amounts.filter(({ kind }) => kind === 'price')
  return prices.length > 0 ? prices : amounts.filter(({ kind }) => kind === 'each')
}

/**
 * The price among several amounts of a text, and what it was, where something bears that out: a percentage that is the difference of the
 * two, or that one alone is said to be the price of now, and none is lower.
 */
export function priceOfSeveral(
  text: string,
  prices: readonly WrittenAmount[],
): { price?: WrittenAmount; original?: WrittenAmount } {
  const [one, other, ...more] = prices
  if (one && other && more.length === 0) {
    const [price, original] = one.value < other.value ? [one, other] : [other, one]
    const stated = Number(/(\d{1,2})\s?%/u.exec(text)?.[1] ?? Number.NaN)
    if (Math.abs((1 - price.value / original.value) * 100 - stated) <= 1) return { price, original }
  }
  const price = onlyOne(prices.filter(({ named }) => named === 'now'))
  if (!price || prices.some(({ value }) => value < price.value)) return {}
  const original = onlyOne(prices.filter(({ named, value }) => named === 'price' && value > price.value))
  return { price, ...(original && { original }) }
}

/** The one value that some amounts share; undefined for none and for several. */
export function onlyOne(amounts: readonly WrittenAmount[]): WrittenAmount | undefined {
  const [first, ...others] = amounts
  return first && others.every(({ value }) => value === first.value) ? first : undefined
}
