import {
  amountsIn,
  onlyOne,
  type PricedTitle,
  priceOfSeveral,
  pricesAmong,
  type WrittenAmount,
} from './amounts.ts'
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
  'was were list price reg regular regularly msrp rrp srp mrp m.r.p uvp retail orig original originally off save saves shipped free shipping delivery each ea apiece with w prime amazon at from down only now and or more code coupon after ac clip instead of value worth statt inkl versand today deal ends s'.split(
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
  if (price) {
    if (!isSetOff(title, amounts, price)) return {}
    return { price, ...(original && original.value > price.value && { original }) }
  }
  return priceOfSeveral(title, prices)
}

/** What the title is without its price: that leaves it at the end with all that belongs to it, or at the beginning. Elsewhere it stays. */
function withoutPrice(title: string, price: WrittenAmount): string {
  const amounts = amountsIn(title)
  const start = startOfTag(amounts, price)
  if (start > 0 && isOfPrices(title, start)) return title.slice(0, start).replace(leadingOn, '')
  return price.start > 0 ? title : title.slice(price.end).replace(/^[\s\-–—:|,]+/u, '')
}

const startOfTag = (amounts: readonly WrittenAmount[], price: WrittenAmount) =>
  (amounts.find(({ kind }) => kind !== 'bound') ?? price).start

/** Whether an amount is the price of the item and no part of its name: it is at the end, is set off, or is said to be it. */
function isSetOff(title: string, amounts: readonly WrittenAmount[], price: WrittenAmount): boolean {
  if (price.named || isOfPrices(title, startOfTag(amounts, price))) return true
  const [before, behind] = [title.slice(0, price.start), title.slice(price.end)]
  return before.trim() === '' ? /^\s?[-–—:|]/u.test(behind) : /[-–—:|]\s?$/u.test(before)
}

/** Whether a text says nothing but prices from there on. */
function isOfPrices(text: string, from: number): boolean {
  let rest = text.slice(from)
  for (const { text: amount } of amountsIn(text)) rest = rest.replace(amount, ' ')
  const words = rest.replace(/\d{1,2}\s?%|\/\s?(?:\p{L}+|-)/gu, ' ').match(/[\p{L}\d][\p{L}\d.]*/gu) ?? []
  return words.every((word) => ofPrices.has(word.toLowerCase().replace(/\.$/, '')))
}

/** The prices in what an entry says beside its title: the one that is named, or that stands alone or beside what it was. */
export function pricesInText(text: string): { price?: string; original?: string } {
  const amounts = amountsIn(text)
  const prices = pricesAmong(amounts)
  const several = onlyOne(prices) ? {} : priceOfSeveral(text, prices)
  const named = prices.filter((amount) => amount.named)
  const price = several.price ?? onlyOne(named.length > 0 ? named : prices)
  const original = onlyOne(amounts.filter(({ kind }) => kind === 'former')) ?? several.original
  const isBeside = original !== undefined && price !== undefined && original.value > price.value
  if (!price || !(price.named || isBeside || standsAlone(text, price))) return {}
  return { price: price.text, ...(isBeside && { original: original.text }) }
}

/** Whether the line of an amount says nothing but prices. */
function standsAlone(text: string, { start }: WrittenAmount): boolean {
  const from = text.lastIndexOf('\n', start) + 1
  const end = text.indexOf('\n', start)
  return isOfPrices(text.slice(from, end < 0 ? text.length : end), 0)
}
