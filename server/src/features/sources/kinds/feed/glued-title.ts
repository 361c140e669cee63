import { amountsIn, type PricedTitle, type WrittenAmount } from './amounts.ts'

const formerLabel =
  /^\s*(?:M\.?R\.?P\.?|list(?: price)?|typical(?: price)?|was|rrp|uvp|msrp|pvpr?|prix conseillé|statt|mediana)\s*:?\s*$/iu
/** A percentage with the name of what it belongs to, right before the amounts. */
const badge =
  /\s?[-–]?(\d{1,9})\s?%\s?(?:off|claimed|rabatt|de réduction|de descuento|di sconto|korting)[^\d%|,]{0,40}$|\s?[-–](\d{1,9})\s?%\s?$/iu
const dealNames = /(?:limited[- ]time deal|deal of the day|lightning deal|prime (?:day )?deal|top deal)\s*$/iu

/**
 * A title to which a page's price tag is glued: each amount stands there twice, as it is read out and as it is drawn, the
 * second without its point (`30% offDeal₹1,549.00₹1,54900M.R.P:₹2,199.00₹2,199.00`). Null for any other title.
 */
export function gluedTitle(title: string): PricedTitle | null {
  const amounts = amountsIn(title)
  const at = amounts.findIndex((amount, index) => isTwin(title, amount, amounts[index + 1]))
  const [price, twin, original, second] = amounts.slice(at, at + 4)
  if (at < 0 || !price || !twin) return null
  const label = title.slice(twin.end, original?.start)
  const end = second && original && isTwin(title, original, second) ? second.end : original?.end
  const isTag = formerLabel.test(label) || label.trim() === ''
  // What is behind the amounts is no part of a price tag: then it is another kind of title.
  if (!isTag || (original && end !== undefined && title.slice(end).trim() !== '')) return null
  const isFormer = original !== undefined && formerLabel.test(label) && original.value > price.value
  const percent = isFormer ? Math.round((1 - price.value / original.value) * 100) : undefined
  return {
    title: withoutBadge(title.slice(0, price.start), percent),
    price: price.text,
    ...(isFormer && { original: original.text }),
  }
}

function isTwin(title: string, one: WrittenAmount, other: WrittenAmount | undefined): boolean {
  if (!other || title.slice(one.end, other.start).trim() !== '') return false
  const [first, second] = [one, other].map(({ text }) => text.replace(/\D/g, ''))
  return first === second
}

/** The digits before a percent sign are told apart from those that end the name by what the amounts come to. */
function withoutBadge(text: string, percent: number | undefined): string {
  const found = badge.exec(text)
  if (!found) return text.replace(dealNames, '').trim()
  const digits = found[1] ?? found[2] ?? ''
  const endings = [digits.slice(-2), digits.slice(-1)]
  const fitting = endings.find((ending) => percent !== undefined && Math.abs(Number(ending) - percent) <= 1)
  const own = digits.slice(0, digits.length - (fitting ?? digits.slice(-2)).length)
  const start = found[0].indexOf(digits)
  // What stands before the digits is a sign of the percentage unless the name goes on to them.
  const between = own === '' ? '' : found[0].slice(0, start) + own
  return (text.slice(0, found.index) + between).trim()
}
