import type { Random } from '../../tools/sample-deals/random.ts'
import { readTitleStatistics, type TitleStatistics } from './title-statistics.ts'

/** Different words of each kind that no statistics name: with so many, a million titles have as many words as real ones. */
const rareWords = 60_000
/** Titles that others are like are among the last so many. */
const remembered = 500

/** Makes titles with the words, lengths and likeness of real ones, and searches as people type them for such titles. */
export class TitleMaker {
  readonly #statistics: TitleStatistics
  readonly #drawWord: Draw<string | undefined>
  readonly #drawFirst: Draw<string>
  readonly #drawKind: Draw<string>
  readonly #drawLength: Draw<number>
  readonly #next = new Map<string, [word: string, share: number][]>()
  readonly #last: string[][] = []

  constructor(statistics = readTitleStatistics()) {
    this.#statistics = statistics
    const { words, rare, lengths, next } = statistics
    const kinds = Object.entries(rare)
    const unnamed = kinds.reduce((sum, [, { titles }]) => sum + titles, 0)
    this.#drawWord = drawing([
      ...words.map(([word, titles]): [string, number] => [word, titles]),
      ...[[undefined, unnamed] as const],
    ])
    this.#drawFirst = drawing(words.map(([word, , first]) => [word, first]))
    this.#drawKind = drawing(kinds.map(([kind, { titles }]) => [kind, titles]))
    this.#drawLength = drawing(lengths.map((titles, length) => [length, titles]))
    for (const [index, followers] of Object.entries(next)) {
      const [word = '', titles = 1] = words[Number(index)] ?? []
      const shares: [string, number][] = []
      for (let at = 0; at < followers.length; at += 2) {
        const [follower = ''] = words[followers[at] ?? 0] ?? []
        shares.push([follower, (followers[at + 1] ?? 0) / titles])
      }
      this.#next.set(word, shares)
    }
  }

  /** The words that the statistics name, the commonest first. */
  get commonWords(): string[] {
    return this.#statistics.words.map(([word]) => word)
  }

  title(random: Random): string {
    const { alike, titles } = this.#statistics
    const words =
      this.#last.length > 0 && random.chance(alike / titles) ? this.#variant(random) : this.#fresh(random)
    this.#last[random.between(0, Math.min(this.#last.length, remembered - 1))] = words
    return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
  }

  /** Another colour, size or count: the title of something like it with a few other words, the first of all excepted. */
  #variant(random: Random): string[] {
    const words = [...random.pick(this.#last)]
    for (let changes = random.between(0, 3); changes > 0; changes -= 1)
      words[random.between(Math.min(4, words.length), words.length)] = this.#word(random)
    return words.filter((word) => word !== undefined)
  }

  #fresh(random: Random): string[] {
    const words = [random.chance(0.8) ? this.#drawFirst(random) : this.#word(random)]
    for (let left = Math.max(3, this.#drawLength(random)) - 1; left > 0; left -= 1)
      words.push(this.#behind(words.at(-1) ?? '', random))
    // An import takes a few numbers and signs for a price.
    return words.some((word) => /\p{L}/u.test(word)) ? words : this.#fresh(random)
  }

  #behind(word: string, random: Random): string {
    let left = random.next()
    for (const [follower, share] of this.#next.get(word) ?? []) {
      left -= share
      if (left < 0) return follower
    }
    return this.#word(random)
  }

  #word(random: Random): string {
    return this.#drawWord(random) ?? this.#rareWord(this.#drawKind(random), random)
  }

  /** The word of a kind with a rank: rank r comes up about 1/r as often as rank 1, as in written language. */
  #rareWord(kind: string, random: Random): string {
    const letters = [...(this.#statistics.rare[kind]?.letters ?? 'e')]
    let rank = Math.floor(Math.exp(random.next() * Math.log(rareWords)))
    let word = ''
    // The rank's own letters, spread over all there are.
    for (let length = 3 + (rank % 6); length > 0; length -= 1) {
      rank = (rank * 48_271 + 11) % 2_147_483_647
      word += letters[rank % letters.length]
    }
    return word
  }
}

type Draw<T> = (random: Random) => T

/** Draws each of some things as often as its weight says. */
function drawing<T>(weighed: (readonly [T, number])[]): Draw<T> {
  const sums: number[] = []
  let sum = 0
  for (const [, weight] of weighed) {
    sum += weight
    sums.push(sum)
  }
  return (random) => {
    const drawn = random.next() * sum
    let [low, high] = [0, sums.length - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sums[middle] ?? 0) > drawn) high = middle
      else low = middle + 1
    }
    const [found] = weighed[low] ?? []
    // The cast holds: there is one for each sum.
    return found as T
  }
}

/**
 * What people type to find something: a sixth of it two letters, a third of the rest a word or its beginning, a third two
 * words of one title or of two, and up to eight words. Each word is as common as it is in titles.
 */
export function madeSearch(titles: readonly string[], random: Random): string {
  const wordOf = (title: string) => {
    const words = title.toLowerCase().match(/[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'-]+/gu) ?? ['for']
    return random.pick(words)
  }
  const title = random.pick(titles)
  const other = () => wordOf(random.pick(titles))
  const kind = random.next()
  if (kind < 0.15) {
    const word = wordOf(title)
    const at = random.between(0, Math.max(0, word.length - 2))
    return word.slice(at, at + 2)
  }
  if (kind < 0.45) {
    const word = wordOf(title)
    return random.chance(0.4) ? word.slice(0, Math.max(3, random.between(3, word.length))) : word
  }
  if (kind < 0.62) return `${wordOf(title)} ${wordOf(title)}`
  if (kind < 0.8) return `${wordOf(title)} ${other()}`
  const words = Array.from({ length: random.between(3, 8) }, () =>
    random.chance(0.85) ? wordOf(title) : other(),
  )
  return words.join(' ')
}
