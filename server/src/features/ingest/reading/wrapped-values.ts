import { currencyOf, isCurrencySign } from './currencies.ts'
import { readMoney } from './money.ts'
import { readPrice } from './price-texts.ts'
import { isObject, type JsonObject } from './raw-row.ts'

/** Keys whose value an object only wraps: `{"value": 12.5, "currency": "USD"}`. */
const wrapped = [
  'value',
  'amount',
  'Amount',
  'displayValue',
  'DisplayValue',
  'displayAmount',
  'DisplayAmount',
  'raw',
  'text',
  'message',
  'Message',
  'url',
  'URL',
  'src',
  'href',
  'hiRes',
  'large',
  'link',
]
const wrappedKeys = new Set(wrapped)
/** Keys beside it that say in what the value is measured. */
const aboutCurrency = /curr|symbol|iso|unit/i
/** Keys of the same amount as it is shown, and of how many of its digits are decimals. */
const shownKeys = /raw|text|display|format|string|label|pretty/i
const decimalsKeys = /^(?:precision|scale|exponent|decimals|(?:decimal|fraction)[_ ]?(?:places|digits))$/i
/** What names a currency in an object of its own. */
const currencyNames = ['code', 'iso', 'isoCode', 'id', 'symbol', 'name', 'value']
/** No amount of money is as long, and no number as high. */
const longestAmount = 40
const highestAmount = 1e8

/** The scalar a cell holds or wraps, with the currency that its object names; several texts become one, a line each. */
export function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items: unknown[] = value
      .slice(0, 20)
      .map((item: unknown) => (Array.isArray(item) ? undefined : unwrap(item)))
    const scalars = items.filter((item) => typeof item === 'string' || typeof item === 'number')
    return scalars.length === 1 ? scalars[0] : scalars.length === 0 ? undefined : scalars.join('\n')
  }
  if (!isObject(value)) return undefined
  const key = wrapping(value)
  return key === undefined ? undefined : withCurrency(value, key)
}

/** Whether an object wraps a scalar. Most are told from those by their own keys, which are fewer. */
export function wraps(object: JsonObject): boolean {
  for (const key in object) if (wrappedKeys.has(key)) return wrapping(object) !== undefined
  return false
}

/** The key under which an object wraps its scalar, if it does. */
function wrapping(object: JsonObject): string | undefined {
  return wrapped.find((key) => {
    const inner = object[key]
    return typeof inner === 'string' || typeof inner === 'number'
  })
}

/** The scalar under a key, followed by every currency that the values beside it name. */
function withCurrency(object: JsonObject, key: string): unknown {
  const inner = object[key]
  const isNumber = typeof inner === 'number'
  if (isNumber ? !(Math.abs(inner) < highestAmount) : typeof inner !== 'string' || !isAmount(inner))
    return inner
  const currencies = new Set<string>()
  for (const other in object) {
    if (other === key) continue
    if (explains(Number(inner), other, object[other])) return object[other]
    if (Number.isInteger(Number(inner)) && decimalsKeys.test(other) && Number(object[other]) > 0)
      return `${inner} ${other} ${object[other]}`
    const stated = currencyBeside(other, object[other])
    if (stated !== null) currencies.add(stated)
  }
  if (currencies.size === 0) return inner
  // Two decimals, or a text of three would be read as thousands.
  return [isNumber ? inner.toFixed(2) : inner, ...currencies].join(' ')
}

/** Whether a text beside a number shows it with what the number doesn't say: that it is in hundredths, or no price of one item. */
function explains(amount: number, key: string, shown: unknown): boolean {
  if (typeof shown !== 'string' || !shownKeys.test(key) || !isAmount(shown)) return false
  const price = readPrice(shown, '.')
  if (typeof price === 'string') return price !== 'unclear'
  return price !== null && Number.isInteger(amount) && Math.round(price.amount * 100) === amount && amount > 0
}

const isAmount = (text: string) => text.length <= longestAmount && /\d/.test(text) && !/^https?:/i.test(text)

function currencyBeside(key: string, value: unknown): string | null {
  if (aboutCurrency.test(key)) {
    const name = isObject(value)
      ? currencyNames.map((inner) => value[inner]).find((inner) => inner != null)
      : value
    return typeof name === 'string' || typeof name === 'number' ? currencyOf(String(name)) : null
  }
  if (typeof value !== 'string') return null
  if (isCurrencySign(value)) return currencyOf(value)
  if (!isAmount(value)) return null
  const money = readMoney(value, '.')
  return money === null || money === 'unclear' ? null : money.currency
}
