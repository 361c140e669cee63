import type { NumberText } from '../../../platform/numbers.ts'
import { mostTimesPrice } from '../../deals/rules.ts'

/** Why a stated original price isn't believed. */
export type OriginalRule = 'constant' | 'unit' | 'text' | 'absurd'

/** Above so many times the price an original is shown, and noted. */
const strikingly = 10
/** One value beside so many different prices, and below them in so large a part of its rows, was filled in. */
const constantPrices = 10
const constantBelow = 1 / 5
/** Different values that are watched; the rare ones of more are forgotten, which no filled-in value is. */
const watchedValues = 4_000
/** What rounding or cutting off to cents does to a price. */
const rounding = 0.0095

const quantity = /(\d{1,5}(?:[.,]\d{1,3})?)\s?(kg|gr?|gramm?s?|ml|cl|l|lit(?:er|re)s?)(?![a-zà-ÿ\d])/gi
const times = /(\d{1,3})\s?[x×]\s?$/
const ofBase: Record<string, number> = { k: 1, g: 1 / 1000, m: 1 / 1000, c: 1 / 100, l: 1 }

/** Reductions by fives up to the half, of amounts that end like prices, happen to fit a quantity now and then. */
const mostDoubtful = 50
const endsLikePrice = /\.(?:00|50|90|95|99)$/

/** The original price of a row: `isDoubtful` where the other rows of the body decide whether it is the price of a unit. */
export type Believed = {
  amount: number | null
  isDoubtful: boolean
  /** One that isn't believed as it is so far above the price: then the price may be the mistake. */
  stated?: number
}

export const noOriginal: Believed = { amount: null, isDoubtful: false }

/** What a body's rows are to lose: original prices of these values, and, where it shows prices of units, the doubtful ones. */
export type Withdrawn = { values: readonly number[]; isDoubtful: boolean }

/** Takes from deals what a body's rows are to lose. */
export function withdrawOriginals(
  deals: Iterable<{ original_price: number | null; is_original_doubtful: boolean | null }>,
  { values, isDoubtful }: Withdrawn,
): void {
  for (const deal of deals) {
    if (!deal.original_price) continue
    if (values.includes(deal.original_price) || (isDoubtful && deal.is_original_doubtful))
      deal.original_price = null
  }
}

type Watched = {
  rows: number
  below: number
  shown: number
  striking: number
  /** The first different prices beside it. */
  prices: number[] | number
}

/** Watches the original prices of a body and says which of them can't be true. */
export class Originals {
  /** By cents: whole numbers are found faster. */
  readonly #values = new Map<number, Watched>()
  readonly #refused = { unit: 0, text: 0, absurd: 0 }
  /** Rows whose original may be the price of a unit as well as a true one. */
  #doubts = 0
  #striking = 0

  /** What is left of an original price, in the money of its row: itself, or none where it isn't above the price or isn't believed. */
  believed(original: number, price: number, title: string): Believed {
    const watched = this.#watch(original, price)
    if (original <= price) return noOriginal
    const isInTitle = isOfQuantity(original, price, title)
    // Where the title doesn't prove it, a price that is a mistake fits some quantity or other as well.
    const stated = isInTitle ? undefined : original
    if (original > price * mostTimesPrice) return this.refuse('absurd', stated)
    const isDoubtful = isInTitle || isOfGrams(original, price)
    if (isDoubtful) {
      if (!mayBeReduced(original, price)) return this.refuse('unit', stated)
      this.#doubts += 1
    }
    watched.shown += 1
    if (original > price * strikingly) {
      this.#striking += 1
      watched.striking += 1
    }
    return { amount: original, isDoubtful }
  }

  /** Counts one that isn't believed; `stated` where the price may be the mistake. */
  refuse(rule: Exclude<OriginalRule, 'constant'>, stated?: number): Believed {
    this.#refused[rule] += 1
    return stated === undefined ? noOriginal : { ...noOriginal, stated }
  }

  /**
   * What only the whole body shows to be none: values that somebody filled in where no original price was known, and what fits
   * the quantity in the title by chance as well, where as many others fit it beyond doubt.
   */
  withdrawn(): Withdrawn {
    const values = this.#filledIn().map(([cents]) => cents / 100)
    return { values, isDoubtful: this.#hasUnits && this.#doubts > 0 }
  }

  /** What wasn't believed, a sentence for each rule. */
  notes(number: NumberText): string[] {
    const refused = (count: number, rule: string) =>
      count === 0 ? [] : [`Original prices not believed: ${number(count)}, ${rule}.`]
    const { unit, text, absurd } = this.#refused
    const constants = this.#filledIn()
    const filled = constants.reduce((sum, [, { shown }]) => sum + shown, 0)
    const hidden = constants.reduce((sum, [, watched]) => sum + watched.striking, 0)
    const named = constants.slice(0, 5).map(([cents]) => cents / 100)
    const striking = this.#striking - hidden
    return [
      ...refused(filled, `filled-in value (${named.map(number).join(', ')}, also at prices above it)`),
      ...refused(
        unit + (this.#hasUnits ? this.#doubts : 0),
        'price of a unit (a kilogram or litre, not the item)',
      ),
      ...refused(text, 'number in a text (a name or sentence, not an amount)'),
      ...refused(absurd, `more than ${mostTimesPrice} times the price`),
      ...(striking > 0
        ? [`Original prices above ${strikingly} times the price, shown as stated: ${number(striking)}.`]
        : []),
      ...(this.#doubts > 0 && !this.#hasUnits
        ? [`Original prices that may be of a kilogram or litre, shown as stated: ${number(this.#doubts)}.`]
        : []),
    ]
  }

  get #hasUnits(): boolean {
    return this.#refused.unit > 0 && this.#refused.unit >= this.#doubts
  }

  #filledIn(): Array<[number, Watched]> {
    return [...this.#values].filter(
      ([, { rows, below, prices }]) =>
        typeof prices !== 'number' && prices.length >= constantPrices && below >= rows * constantBelow,
    )
  }

  #watch(original: number, price: number): Watched {
    const cents = Math.round(original * 100)
    const watched = this.#values.get(cents)
    if (!watched) {
      if (this.#values.size >= watchedValues) this.#forgetRare()
      const first = { rows: 1, below: original < price ? 1 : 0, shown: 0, striking: 0, prices: price }
      this.#values.set(cents, first)
      return first
    }
    watched.rows += 1
    if (original < price) watched.below += 1
    const { prices } = watched
    if (typeof prices === 'number') watched.prices = prices === price ? price : [prices, price]
    else if (prices.length < constantPrices && !prices.includes(price)) prices.push(price)
    return watched
  }

  #forgetRare(): void {
    for (let least = 2; this.#values.size > watchedValues / 2; least *= 2)
      for (const [value, { rows }] of this.#values) if (rows < least) this.#values.delete(value)
  }
}

/** Whether it is what a kilogram or litre costs, as it is ten times the price and more, for whole grams. */
function isOfGrams(original: number, price: number): boolean {
  const grams = Math.round((1000 * price) / original)
  // A hundredfold is a decimal mark out of place rather than ten grams.
  return (
    grams !== 10 && original > price * strikingly && Math.abs(original - (1000 * price) / grams) < rounding
  )
}

/** The same by the quantity in the title. */
function isOfQuantity(original: number, price: number, title: string): boolean {
  quantity.lastIndex = 0
  for (let found = quantity.exec(title); found; found = quantity.exec(title)) {
    const [, written = '', unit = ''] = found
    const pieces = times.exec(title.slice(Math.max(0, found.index - 6), found.index))?.[1] ?? 1
    const inBase =
      Number(pieces) * Number(written.replace(',', '.')) * (ofBase[unit.charAt(0).toLowerCase()] ?? 0)
    const off = Math.abs(original * inBase - price)
    if (inBase > 0 && inBase < 1 && off < Math.max(rounding * inBase, rounding / 2)) return true
  }
  return false
}

/** Whether a price is what a usual reduction makes of an original: then a fitting quantity proves nothing by itself. */
function mayBeReduced(original: number, price: number): boolean {
  const percent = 5 * Math.round(20 * (1 - price / original))
  const reduced = original * (1 - percent / 100)
  return (
    percent <= mostDoubtful && Math.abs(reduced - price) < 0.01 && endsLikePrice.test(original.toFixed(2))
  )
}
