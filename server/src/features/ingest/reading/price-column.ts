import type { Column, SampledColumn } from './cells.ts'
import { currencyInName, meansFormerPrice, nameScore, plainName } from './column-names.ts'
import { foreignParts, moneyTraps } from './fields.ts'
import { readMoney } from './money.ts'
import { isMoneyAlone, readOriginal } from './price-texts.ts'
import { cellText } from './text.ts'

/** What made a column the price: its name, its cells, or that it is the only one with money though it means 'before'. */
export type PriceSource = 'name' | 'cells' | 'former'
export type PriceChoice = { sampled: SampledColumn; source: PriceSource }

/** So large a part of a column's filled cells must be money for it to be one of money. */
const mostly = 0.8
const offered = 5

/** Beside what turns a price into another figure: names of money that no price is. */
const otherMoney =
  /(?<!\p{L})(?:address|url|link|guid|id|asin|promo|voucher|sales|revenue|income|turnover|fees?|commission|margin|profit|budget|earnings|month|monthly|mo|emi|instalments?|weekly|yearly|annual|daily|hourly|rental|lease|subscription|subscribe|minimum|order|orders|wage|salary|wholesale|bid|auction|target|alert|threshold|predicted|forecast|estimated|expected|goal|party|total|subtotal|cart|member|membership|insurance|warranty|cashback|rebates?|rewards?|points|credits?|gift|clip|deposit|customs|dut(?:y|ies)|tax|vat|mwst|walmart|ebay|aliexpress|temu|frais|port|porto|envio|frete|spedizione|dostawa|wysylka|kargo|sparen|economia|ahorro|risparmio|remise|reduction|rabais|rabat|descuento|desconto|sconto|indirim|bon|cupon|cupom|kg|ml|per|pro)(?!\p{L})/u

/** The same as parts of compound words, and in scripts without spaces; plain names have no accents, which a mark of kana is too. */
const otherMoneyParts =
  /versand|liefer|gutschein|rabatt|ersparnis|pfand|monatlich|grundpreis|verzend|bezorg|korting|besparing|送料|配送|クーホン|割引|运费|優惠券|优惠券/u

/**
 * Which column is the price, of those that are free. A known name decides; else a single column whose cells are money and
 * nothing else; else what things cost before, where no other column holds money. Columns whose name says another
 * currency than `currency` come last. `byName` finds the best of some columns by its name.
 */
export function choosePrice(
  free: readonly SampledColumn[],
  currency: string,
  byName: (columns: readonly SampledColumn[]) => SampledColumn | undefined,
): PriceChoice | undefined {
  const own = inCurrency(free, currency)
  const now = (columns: readonly SampledColumn[]) =>
    byName(columns.filter(({ column }) => !meansFormerPrice(column.name)))
  const named = now(own)
  if (named) return { sampled: named, source: 'name' }
  const money = free.filter(holdsMoney)
  const [former, other] = money
  const isOnly = !other && !free.some((sampled) => sampled !== former && mightBeMeant(sampled))
  if (former && isOnly && own.includes(former) && meansFormerPrice(former.column.name))
    return { sampled: former, source: 'former' }
  const alone = own.filter((sampled) => isMoneyOnly(sampled) && mayBePrice(sampled.column))
  const [guessed, rival] = alone
  if (guessed && !rival) return { sampled: guessed, source: 'cells' }
  const elsewhere = now(free)
  return elsewhere && { sampled: elsewhere, source: 'name' }
}

/** The columns whose name doesn't say another currency. */
export function inCurrency(columns: readonly SampledColumn[], currency: string): SampledColumn[] {
  return columns.filter(({ column }) => (currencyInName(column.name) ?? currency) === currency)
}

/** The sentence for `notes` about a price that stands in no column named so; nothing where one does. */
export function priceNote(
  choice: PriceChoice | undefined,
  free: readonly SampledColumn[],
): string | undefined {
  const name = choice?.sampled.column.name
  if (choice?.source === 'name') return undefined
  if (choice?.source === 'former')
    return `The price is taken from ${name}, though its name means what things cost before: no other column holds money.`
  if (choice)
    return `The price is taken from ${name}: no column is named as one, and its cells are money and nothing else. Should it be another, say so with map=price=COLUMN.`
  const meant = free.filter(mightBeMeant).slice(0, offered)
  const names = meant.map(({ column }) => column.name)
  return names.length === 0
    ? 'No price column found, and no column that might be meant.'
    : `No price column found. Columns that might be meant: ${names.join(', ')}. Say which with map=price=${names[0]}.`
}

/** The sentence for `notes` about columns that are named as prices of something else than the item; nothing where none is. */
export function otherPricesNote(
  price: Column | undefined,
  original: Column | undefined,
  unused: readonly SampledColumn[],
): string | undefined {
  const others = unused.filter(({ column, values }) => isOfOtherThing(column.name) && areAmounts(values))
  if (price === undefined || others.length === 0) return undefined
  const names = others.slice(0, offered).map(({ column }) => column.name)
  const more = others.length > offered ? ', …' : ''
  const before = original ? `; as what items cost before: ${original.name}` : ''
  return `Read as the price: ${price.name}${before}; other prices, not read: ${names.join(', ')}${more}.`
}

const priceNames =
  /(?<!\p{L})(?:prices?|costs?|preis|prix|precio|preco|prezzo|prijs|cena|fiyat|pris)(?!\p{L})|価格|价格/u

/** Whether a name is one of a price (`monthly price`, `cost price`), and of another than the item's now or before. Nested ones say of what. */
function isOfOtherThing(name: string): boolean {
  const isFlat = !name.includes('.')
  return (
    isFlat && priceNames.test(plainName(name)) && nameScore('price', name) === 0 && !meansFormerPrice(name)
  )
}

const areAmounts = (values: readonly unknown[]) =>
  share(values, (value) => typeof readMoney(value, '.') === 'object' && readMoney(value, '.') !== null) >=
  mostly

function mayBePrice({ name }: Column): boolean {
  const plain = plainName(name)
  const words = plain.split(' ')
  const isOther = words.some((word) => moneyTraps.has(word) || foreignParts.has(word))
  // A name that speaks of money and of something else means just that, whatever it is.
  const isQualified = words.length > 1 && moneyNames.test(plain) && nameScore('price', name) === 0
  const isOfOther = otherMoney.test(plain) || otherMoneyParts.test(plain)
  return !isOther && !isQualified && !isOfOther && !meansFormerPrice(name)
}

function isMoneyOnly({ values }: SampledColumn): boolean {
  return share(values, (value) => isMoneyAlone(cellText(value))) >= mostly
}

/** Whether a column is one of money, by its cells or by its name with numbers below it. */
function holdsMoney(sampled: SampledColumn): boolean {
  const { column, values } = sampled
  const isNamed = nameScore('original_price', column.name) > 0 || moneyNames.test(plainName(column.name))
  return (
    isMoneyOnly(sampled) || (isNamed && share(values, (value) => readMoney(value, '.') !== null) >= mostly)
  )
}

const moneyNames =
  /(?<!\p{L})(?:prices?|cost|costs|amount|savings?|saved?|preis|prix|precio|preco|prezzo|prijs|cena|fiyat|pris|mrp|rrp|uvp)(?!\p{L})|価格|价格/u

/** Whether a column could be read as money, if somebody said that it is: by its name, its currency or its cents. */
function mightBeMeant({ column, values }: SampledColumn): boolean {
  const name = plainName(column.name)
  if (otherNumbers.test(name)) return false
  const isAmount = (value: unknown) => {
    const amount = readOriginal(value, '.')
    return amount !== null && typeof amount === 'object' && amount.amount > 0
  }
  const isPriced = (value: unknown) => hasCentsOrSign.test(cellText(value))
  return share(values, isAmount) >= mostly && (moneyNames.test(name) || values.some(isPriced))
}

const hasCentsOrSign = /^[^\n]{0,40}(?:\d[.,]\d\d(?!\d)|[$€£₹¥￥])/u
const otherNumbers =
  /(?<!\p{L})(?:ids?|asin|counts?|reviews?|ratings?|ranks?|stars|score|percent|percentage|pct|year|page|position)(?!\p{L})/u

/** Which part of the filled cells passes; 0 where none is filled. */
function share(values: readonly unknown[], test: (value: unknown) => boolean): number {
  const filled = values.filter((value) => cellText(value) !== '')
  return filled.length === 0 ? 0 : filled.filter(test).length / filled.length
}
