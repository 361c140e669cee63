import type { DealFacts } from '@dealdeck/query/facts'
import type { Condition } from '@dealdeck/query/question'
import {
  type RequiredPart,
  type RequiredText,
  requiredParts,
  type TextName,
  textsOf,
} from './required-parts.ts'

/** So many letters of a required text find it: more would be looked up for each letter of every title. */
const longestGram = 4

type Slot<Entry> = { entry: Entry; lookup: number }
type Threshold<Entry> = { at: number; slot: Slot<Entry> }

/**
 * Questions by what their deals have to have, so that a deal is tried with few of many: a text in its title, brand or category,
 * the beginning of its ASIN, or a price; those of which nothing of the kind can be said are tried with each.
 */
export class QuestionIndex<Entry> {
  readonly #grams = Object.fromEntries(
    Object.keys(textsOf).map((name) => [name, new Grams<Entry>()]),
    // The keys are those of the table, which fromEntries can't say.
  ) as Record<TextName, Grams<Entry>>
  readonly #whole = new Map<string, Slot<Entry>[]>()
  readonly #asins = new Map<string, Slot<Entry>[]>()
  readonly #asinLengths = new Set<number>()
  /** By rising price, and by falling discount. */
  readonly #prices: Threshold<Entry>[] = []
  readonly #discounts: Threshold<Entry>[] = []
  readonly #always: Slot<Entry>[] = []
  #lookup = 0
  #isSorted = true

  add(condition: Condition | null, entry: Entry): void {
    const slot: Slot<Entry> = { entry, lookup: 0 }
    const best = requiredParts(condition)
      .map((part) => ({ part, cost: this.#cost(part) }))
      .toSorted((one, other) => one.cost - other.cost)[0]
    if (best) this.#put(best.part, slot)
    else this.#always.push(slot)
  }

  /** Those that a deal could meet, each once. */
  candidates(deal: DealFacts): Entry[] {
    this.#sort()
    this.#lookup += 1
    const found: Entry[] = []
    // Not a generator: each of some hundred candidates a deal would pass through it.
    this.#forFound(deal, (slot) => {
      if (slot.lookup === this.#lookup) return
      slot.lookup = this.#lookup
      found.push(slot.entry)
    })
    return found
  }

  #forFound(deal: DealFacts, visit: (slot: Slot<Entry>) => void): void {
    this.#always.forEach(visit)
    for (const name of textNames) {
      const text = textsOf[name](deal)
      if (text === null) continue
      this.#whole.get(`${name} ${text}`)?.forEach(visit)
      this.#grams[name].forFound(text, visit)
    }
    for (const length of this.#asinLengths) this.#asins.get(deal.asin.slice(0, length))?.forEach(visit)
    for (let at = this.#prices.length - 1; at >= 0; at -= 1) {
      const one = this.#prices[at]
      if (!one || one.at < deal.price) break
      visit(one.slot)
    }
    if (deal.off === null) return
    for (const { at, slot } of this.#discounts) {
      if (at > deal.off) break
      visit(slot)
    }
  }

  #sort(): void {
    if (this.#isSorted) return
    this.#prices.sort((one, other) => one.at - other.at)
    this.#discounts.sort((one, other) => one.at - other.at)
    this.#isSorted = true
  }

  /** How many others a part is found beside; prices are met by far more deals than texts are. */
  #cost(part: RequiredPart): number {
    switch (part.kind) {
      case 'asins':
        return part.any.every((one) => one.length > longestGram) ? 0 : 100_000
      case 'texts':
        return part.any.reduce((sum, text) => sum + this.#textCost(text), 0)
      case 'price':
        return 1_000_000 + part.most
      case 'off':
        return 2_000_000 - part.least
    }
  }

  #textCost({ of, text, isWhole }: RequiredText): number {
    if (isWhole) return 1
    // Short ones are in most titles.
    const short = 50_000 / text.length ** 4
    return this.#grams[of].countOf(text) + short
  }

  #put(part: RequiredPart, slot: Slot<Entry>): void {
    switch (part.kind) {
      case 'asins':
        for (const beginning of part.any) {
          this.#asinLengths.add(beginning.length)
          push(this.#asins, beginning, slot)
        }
        return
      case 'texts':
        for (const { of, text, isWhole } of part.any) {
          if (isWhole) push(this.#whole, `${of} ${text}`, slot)
          else this.#grams[of].add(text, slot)
        }
        return
      case 'price':
        this.#prices.push({ at: part.most, slot })
        break
      case 'off':
        this.#discounts.push({ at: part.least, slot })
    }
    this.#isSorted = false
  }
}

// The table has exactly these keys, which Object.keys can't say.
const textNames = Object.keys(textsOf) as TextName[]

/** All that require the same text, which is looked for once for them. */
type Shared<Entry> = { text: string; slots: Slot<Entry>[] }

/** Texts that may stand anywhere in another one, by the rarest piece of each. */
class Grams<Entry> {
  readonly #byText = new Map<string, Shared<Entry>>()
  readonly #byGram = new Map<string, Shared<Entry>[]>()
  readonly #lengths = new Set<number>()

  add(text: string, slot: Slot<Entry>): void {
    const known = this.#byText.get(text)
    if (known) {
      known.slots.push(slot)
      return
    }
    const shared = { text, slots: [slot] }
    const gram = this.#rarestGram(text)
    this.#byText.set(text, shared)
    this.#lengths.add(gram.length)
    push(this.#byGram, gram, shared)
  }

  /** How many require this very text, and would be tried with each deal that has it. */
  countOf(text: string): number {
    return this.#byText.get(text)?.slots.length ?? 0
  }

  /** The piece of a text that the fewest other texts are looked for by. */
  #rarestGram(text: string): string {
    const length = Math.min(longestGram, text.length)
    let rarest = { gram: text.slice(0, length), count: Infinity }
    for (let at = 0; at + length <= text.length; at += 1) {
      const gram = text.slice(at, at + length)
      const count = this.#byGram.get(gram)?.length ?? 0
      if (count < rarest.count) rarest = { gram, count }
    }
    return rarest.gram
  }

  forFound(text: string, visit: (slot: Slot<Entry>) => void): void {
    for (const length of this.#lengths)
      for (let at = 0; at + length <= text.length; at += 1)
        for (const shared of this.#byGram.get(text.slice(at, at + length)) ?? [])
          if (text.includes(shared.text)) shared.slots.forEach(visit)
  }
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
