/** What a bare `$` says: some dollar or peso, of which only the shop knows which. */
const anyDollar = '$'
const shopDollars = new Set(['USD', 'CAD', 'MXN', 'AUD', 'SGD'])

/** Signs and words of the shops' currencies and their likeliest neighbours, in lower case without a dot at the end. */
const spellings = new Map(
  Object.entries({
    USD: 'us$ u.s.$ usd$',
    CAD: 'ca$ cdn$ can$ c$ cad$',
    AUD: 'au$ a$ aud$',
    SGD: 'sg$ s$ sgd$',
    MXN: 'mx$ mxn$ mex$ m.n peso pesos',
    BRL: 'r$ real reais',
    HKD: 'hk$',
    EUR: '€ euro euros',
    GBP: '£ pound pounds sterling',
    INR: '₹ ₨ rs rupee rupees रु रुपये',
    JPY: '¥ ￥ 円 yen jp¥',
    CNY: 'rmb cn¥ 元',
    KRW: '₩ 원 won',
    PLN: 'zł zl zloty złoty złotych',
    TRY: '₺ tl lira',
    SEK: 'kr kronor krona',
    AED: 'dh dhs dirham dirhams د.إ دإ درهم',
    SAR: 'sr riyal riyals ر.س رس ريال',
    EGP: 'e£ le l.e ج.م جم جنيه',
    ZAR: 'r rand',
    CHF: 'fr sfr franken',
    RUB: '₽ руб рублей',
    UAH: '₴ грн',
    [anyDollar]: '$ ＄ ﹩ ¢ ￠ dollar dollars',
  }).flatMap(([code, list]) => list.split(' ').map((spelling): [string, string] => [spelling, code])),
)

const codes: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('currency'), 'GPB', 'RMB'])
/** Codes that are also words of columns' names: `all prices`, `top deal price`. */
const wordsToo = new Set(['all', 'bad', 'bob', 'cup', 'gel', 'mad', 'pen', 'sit', 'sos', 'top'])
/** Codes of currencies as they stand in columns' names, in lower case. */
export const currencyCodes: readonly string[] = [...codes]
  .map((code) => code.toLowerCase())
  .filter((code) => !wordsToo.has(code))
const nameCodes = new Map([
  ...currencyCodes.map((code): [string, string] => [code, code.toUpperCase()]),
  ...Object.entries({ euro: 'EUR', euros: 'EUR', rs: 'INR', rupee: 'INR', rupees: 'INR', us: 'USD' }),
  ...Object.entries({ dollar: anyDollar, dollars: anyDollar }),
])

/** Whether an amount said to be in this currency is one of the shop's: nothing said, its own, or a bare `$` where that may be it. */
export function isCurrencyOf(currency: string | null, own: string): boolean {
  return currency === null || currency === own || (currency === anyDollar && shopDollars.has(own))
}

/** The currency that a sign, code or name means, as an ISO 4217 code or `$`; undefined where it is none that is known. */
export function currencyNamed(text: string): string | undefined {
  const plain = text.toLowerCase().replace(/\.$/, '')
  const known = spellings.get(plain)
  if (known !== undefined) return known
  if (plain.length === 3 && codes.has(plain.toUpperCase())) return plain.toUpperCase()
  return worldwide().named.get(plain)
}

type Worldwide = { named: ReadonlyMap<string, string>; dollars: ReadonlySet<string> }
let allKnown: Worldwide | undefined

/**
 * Signs and English names of all currencies, and which of them are written `$`; made when first needed. A sign that several
 * share stands for itself, and so for none of the shops'.
 */
function worldwide(): Worldwide {
  if (allKnown) return allKnown
  const found = new Map<string, string>()
  const dollars = new Set<string>()
  const names = new Intl.DisplayNames('en', { type: 'currency' })
  for (const code of codes) {
    const written = (['symbol', 'narrowSymbol', 'name'] as const).map((currencyDisplay) =>
      new Intl.NumberFormat('en', { style: 'currency', currency: code, currencyDisplay })
        .formatToParts(2)
        .find(({ type }) => type === 'currency')
        ?.value.toLowerCase(),
    )
    if (written.includes(anyDollar)) dollars.add(code)
    // A single letter is too often another thing.
    for (const text of new Set([...written, names.of(code)?.toLowerCase()]))
      if (text !== undefined && !/^\p{L}$/u.test(text)) found.set(text, found.has(text) ? text : code)
  }
  allKnown = { named: found, dollars }
  return allKnown
}

/** What several signs beside one amount come to: one currency, or all that contradict each other in one text. */
export function oneCurrency(currencies: readonly string[]): string | null {
  const different = new Set(currencies)
  if (different.size > 1 && [...different].some((currency) => worldwide().dollars.has(currency)))
    different.delete(anyDollar)
  return different.size === 0 ? null : [...different].join(', ')
}

/** Whether a text is nothing but the sign or code of a currency, as a column of these holds. */
export function isCurrencySign(text: string): boolean {
  const isShaped = /^(?:\p{L}{0,3}\p{Sc}|[A-Z]{3})$/u.test(text)
  return isShaped && !wordsToo.has(text.toLowerCase()) && currencyNamed(text) !== undefined
}

/** No currency's name is longer. */
const longestCurrency = 80

/** A currency as its column names it: a code, a sign or a word; null for none. What isn't known stays as it is. */
export function currencyOf(text: string): string | null {
  const trimmed = text.trim().slice(0, longestCurrency)
  if (trimmed === '') return null
  if (/^[a-z]{3}$/i.test(trimmed)) return currencyNamed(trimmed) ?? trimmed.toUpperCase()
  const whole = currencyNamed(trimmed)
  if (whole !== undefined) return whole
  // `USD ($)`, `Euro - EUR`
  const parts = trimmed.split(/[\s()[\],;:/|–-]+/).filter((part) => part !== '')
  const known = parts.flatMap((part) => currencyNamed(part) ?? [])
  return parts.length > 0 && known.length === parts.length ? oneCurrency(known) : trimmed
}

/** What currency a column's name says, such as `price_eur`, `Price (EUR)` or `Preis in €`, given its words too; null for none. */
export function currencyOfName(name: string, words: readonly string[]): string | null {
  const stated = words.flatMap((word) => nameCodes.get(word) ?? [])
  if (stated.length > 0) return oneCurrency(stated)
  const written = /(?:(?<!\p{L})\p{L}{1,3})?\p{Sc}|円|zł/u.exec(name)?.[0]
  return written === undefined ? null : currencyOf(written)
}
