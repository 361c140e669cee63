import { matchers, type PieceKind } from './word-matchers.ts'

/** Looking at a word takes as long as comparing so many numbers. */
const comparingSpeed = 10

/** A part of a text that is so long keeps the whole text in memory. */
const shortestSlice = 13
const copyOf = (word: string) => Buffer.from(word, 'utf16le').toString('utf16le')

/** The words of all titles, numbered in the order in which they came, and found by the letters they hold. */
export class WordList {
  readonly #words: string[] = []
  readonly #numbers = new Map<string, number>()
  /** For two letters that follow one another all words with them, in the order of their numbers. */
  readonly #pairs = new Map<number, number[]>()

  get size(): number {
    return this.#words.length
  }

  at(number: number): string | undefined {
    return this.#words[number]
  }

  /** The number of a word: a new one, `size` before the call, if it isn't there yet. */
  numberOf(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const own = word.length < shortestSlice ? word : copyOf(word)
    const number = this.#words.push(own) - 1
    this.#numbers.set(own, number)
    for (let at = 1; at < word.length; at++) {
      const pair = pairAt(word, at)
      const some = this.#pairs.get(pair)
      if (!some) this.#pairs.set(pair, [number])
      else if (some.at(-1) !== number) some.push(number)
    }
    return number
  }

  /** Calls `visit` with each word from a number on in which a piece of a text stands. */
  forEachWith(kind: PieceKind, piece: string, from: number, visit: (number: number) => void): void {
    const some = this.#holding(piece, from)
    if (some?.length === 0) return
    const matches = matchers[kind](piece)
    // Two letters stand in all of the words with this pair.
    const isPair = kind === 'part' && piece.length === 2
    for (let at = some ? 0 : from; at < (some ?? this.#words).length; at++) {
      const number = some?.[at] ?? at
      if (isPair || matches(this.#words[number] ?? '')) visit(number)
    }
  }

  /**
   * The words from a number on that may hold a piece, having its two rarest pairs of letters; undefined for a piece without
   * a pair, which may stand in any.
   */
  #holding(piece: string, from: number): number[] | undefined {
    if (piece.length < 2) return undefined
    const pairs = new Set(Array.from({ length: piece.length - 1 }, (_, at) => pairAt(piece, at + 1)))
    const lists = [...pairs].map((pair) => this.#pairs.get(pair) ?? [])
    const [rarest = [], other] = lists.sort((one, another) => one.length - another.length)
    if (other && other.length <= comparingSpeed * rarest.length) return commonNumbers(rarest, other, from)
    return rarest.slice(firstFrom(rarest, from))
  }
}

/** What two lists of ascending numbers have in common, from a number on. */
function commonNumbers(one: readonly number[], other: readonly number[], from: number): number[] {
  const found: number[] = []
  let [at, otherAt] = [firstFrom(one, from), firstFrom(other, from)]
  while (at < one.length && otherAt < other.length) {
    const number = one[at] ?? 0
    const difference = number - (other[otherAt] ?? 0)
    if (difference === 0) found.push(number)
    if (difference <= 0) at++
    if (difference >= 0) otherAt++
  }
  return found
}

/** The first place in ascending numbers of one that is not below another. */
function firstFrom(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) >= least) high = middle
    else low = middle + 1
  }
  return low
}

const pairAt = (word: string, at: number) => word.charCodeAt(at - 1) * 65_536 + word.charCodeAt(at)
