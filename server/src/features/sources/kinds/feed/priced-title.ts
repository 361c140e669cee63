import { amountsIn, onlyOne, type PricedTitle, pricesAmong, type WrittenAmount } from './amounts.ts'
import { gluedTitle } from './glued-title.ts'

const off = String.raw`(?:off|rabatt|sparen|korting|de réduction|de descuento|di sconto|dto\.?)`
const percent = String.raw`(?:up to\s+)?-?\d{1,2}\s?%`
const leading = new RegExp(
  String.raw`^\s*(?:[\[(【]\s*${percent}[^\])】]{0,20}[\])】]|-?\d{1,2}\s?%\s*${off}(?!\p{L}))\s*[-–—:|!,]*\s*`,
  'iu',
)
const trailing = new RegExp(
  String.raw`\s?[-–—|,]{0,3}\s?(?:[\[(【]\s?${percent}\s?${off}?\s?[\])】]|${percent}\s?${off})\s?$`,
  'iu',
)
const over = /^\s*[[(【]?\s*(?:expired|abgelaufen|dead|sold out)\s*(?:[\])】]\s*[-–:]?|[:!-])\s*/iu
/** What leads from a name to its price. */
const leadingOn =
  /[\s\-–—:|,@(]{0,9}(?:(?<!\p{L})(?:for|only|now|just|at|is|für|nur|jetzt|à|por|deal price|sale price|price|was|reg(?:ular)?\.?|list|orig\.?|msrp|rrp|mrp|uvp|statt)\s?:?)?[\s\-–—:|,@(]{0,9}$/iu
/** Words that say more of a price and nothing of the item. */
const ofPrices = new Set(
  'was were list price reg regular regularly msrp rrp srp mrp m.r.p uvp retail orig original originally off save saves shipped free shipping delivery each ea apiece with w prime amazon at from down only now and or more code coupon after clip instead of value statt inkl versand today deal ends s'.split(
    ' ',
  ),
)

/** Takes a title, its spaces single, apart where it is beyond doubt what is a price in it. */
export function pricedTitle(raw: string): PricedTitle & { isOver: boolean } {
  const isOver = over.test(raw)
  let title = raw.replace(over, '')
  const glued = gluedTitle(title)
  if (glued) return { ...glued, isOver }
  title = title.replace(leading, '')
  const found = pricesOf(title)
  if (found.price) title = withoutPrice(title, found.price)
  title = title.replace(trailing, '').replace(leading, '').trim()
  return {
    ...{ title: title === '' ? raw.trim() : title, isOver },
    ...(found.price && { price: found.price.text }),
    ...(found.original && { original: found.original.text }),
  }
}

function pricesOf(title: string): { price?: WrittenAmount; original?: WrittenAmount } {
  const amounts = amountsIn(title)
  const prices = pricesAmong(amounts)
  const price = onlyOne(prices)
  const original = onlyOne(amounts.filter(({ kind }) => kind === 'former'))
  if (price) return { price, ...(original && original.value > price.value && { original }) }
  const [one, other, ...more] = prices
  if (!one || !other || more.length > 0) return {}
  // Two amounts are a price and what it was before only where a percentage bears it out.
  const [low, high] = one.value < other.value ? [one, other] : [other, one]
  const stated = Number(/(\d{1,2})\s?%/u.exec(title)?.[1] ?? Number.NaN)
  const isBorneOut = Math.abs((1 - low.value / high.value) * 100 - stated) <= 1
  return isBorneOut ? { price: low, original: high } : {}
}

/** Leaves out a price at the end with all that belongs to it, or at the beginning; elsewhere it stays. */
function withoutPrice(title: string, price: WrittenAmount): string {
  const amounts = amountsIn(title)
  const first = amounts.find(({ kind }) => kind !== 'bound') ?? price
  let rest = title.slice(first.start)
  for (const { text } of amounts) rest = rest.replace(text, ' ')
  const words = rest.replace(/\d{1,2}\s?%/g, ' ').match(/[\p{L}\d][\p{L}\d.]*/gu) ?? []
  const isTail = words.every((word) => ofPrices.has(word.toLowerCase().replace(/\.$/, '')))
  if (isTail && first.start > 0) return title.slice(0, first.start).replace(leadingOn, '')
  if (price.start > 0) return title
  return title.slice(price.end).replace(/^[\s\-–—:|,]+/u, '')
}

/** The prices in what an entry says beside its title: one that is named, or else the only one. */
export function pricesInText(text: string): { price?: string; original?: string } {
  const amounts = amountsIn(text)
  const prices = pricesAmong(amounts)
  const named = prices.filter(({ isNamed }) => isNamed)
  const price = onlyOne(named.length > 0 ? named : prices)
  const original = onlyOne(amounts.filter(({ kind }) => kind === 'former'))
  if (price)
    return { price: price.text, ...(original && original.value > price.value && { original: original.text }) }
  return {}
}
