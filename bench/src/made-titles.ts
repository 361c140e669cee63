import type { Random } from '../../tools/sample-deals/random.ts'
import { readTitleStatistics, type TitleStatistics } from './title-statistics.ts'

/** Different words of each kind that no statistics name: with so many, a million titles have as many words as real ones. */
const rareWords = 60_000
/** Titles that others are like are among the last so many. */
const remembered = 500

const devanagari = /\p{Script=Devanagari}/u
/**
 * So many of the words of a Hindi title are in its own script, which brands, sizes and units aren't, and of the first words,
 * which are often brands. Counted in 4,211 titles beside the statistics, which only know words.
 */
const inOwnScript = { any: 0.8, first: 0.39 }

/** Makes titles with the words, lengths, scripts and likeness of real ones, and searches as people type them for such titles. */
export class TitleMaker {
  readonly #statistics: TitleStatistics
  readonly #hindi: WordDraws
  readonly #others: WordDraws
  readonly #hindiShare: number
  readonly #drawLength: Draw<number>
  readonly #next = new Map<string, [word: string, share: number][]>()
  readonly #last: MadeTitle[] = []

  constructor(statistics = readTitleStatistics()) {
    this.#statistics = statistics
    const { words, lengths, next } = statistics
    this.#hindi = drawWords(statistics, true)
    this.#others = drawWords(statistics, false)
    const { weight } = this.#hindi
    this.#hindiShare = weight / (weight + this.#others.weight) / inOwnScript.any
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
    const title =
      this.#last.length > 0 && random.chance(alike / titles) ? this.#variant(random) : this.#fresh(random)
    this.#last[random.between(0, Math.min(this.#last.length, remembered - 1))] = title
    return title.words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
  }

  /** Another colour, size or count: the title of something like it with a few other words, the first of all excepted. */
  #variant(random: Random): MadeTitle {
    const { isHindi, words: before } = random.pick(this.#last)
    const words = [...before]
    for (let changes = random.between(0, 3); changes > 0; changes -= 1)
      words[random.between(Math.min(4, words.length), words.length)] = this.#word(random, isHindi)
    return { isHindi, words: words.filter((word) => word !== undefined) }
  }

  #fresh(random: Random): MadeTitle {
    const isHindi = random.chance(this.#hindiShare)
    const { first } = isHindi && random.chance(inOwnScript.first) ? this.#hindi : this.#others
    const words = [random.chance(0.8) ? first(random) : this.#word(random, isHindi)]
    for (let left = Math.max(3, this.#drawLength(random)) - 1; left > 0; left -= 1)
      words.push(this.#behind(words.at(-1) ?? '', isHindi, random) ?? this.#word(random, isHindi))
    // An import takes a few numbers and signs for a price.
    return words.some((word) => /\p{L}/u.test(word)) ? { isHindi, words } : this.#fresh(random)
  }

  #behind(word: string, isHindi: boolean, random: Random): string | undefined {
    let left = random.next()
    for (const [follower, share] of this.#next.get(word) ?? []) {
      left -= share
      if (left < 0) return isHindi || !devanagari.test(follower) ? follower : undefined
    }
    return undefined
  }

  #word(random: Random, isHindi: boolean): string {
    const { named, kind } = isHindi && random.chance(inOwnScript.any) ? this.#hindi : this.#others
    return named(random) ?? this.#rareWord(kind(random), isHindi, random)
  }

  /** The word of a kind with a rank: rank r comes up about 1/r as often as rank 1, as in written language. */
  #rareWord(kind: string, isHindi: boolean, random: Random): string {
    // A few words of numbers have a letter of Hindi behind them.
    const all = [...(this.#statistics.rare[kind]?.letters ?? 'e')]
    const letters = isHindi ? all : all.filter((letter) => !devanagari.test(letter))
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

/** A title has words of one script, or of Hindi beside Latin ones. */
type MadeTitle = { isHindi: boolean; words: string[] }

type Draw<T> = (random: Random) => T

/** Draws words of one script, or of all others: the first of a title, any that the statistics name, or the kind of one they don't. */
type WordDraws = {
  first: Draw<string>
  named: Draw<string | undefined>
  kind: Draw<string>
  /** How often words of it stand in titles. */
  weight: number
}

function drawWords(statistics: TitleStatistics, isHindi: boolean): WordDraws {
  const words = statistics.words.filter(([word]) => devanagari.test(word) === isHindi)
  const kinds = Object.entries(statistics.rare).filter(([kind]) => (kind === 'devanagari') === isHindi)
  const unnamed = kinds.reduce((sum, [, { titles }]) => sum + titles, 0)
  const named: [string | undefined, number][] = words.map(([word, titles]) => [word, titles])
  return {
    first: drawing(words.map(([word, , first]) => [word, first])),
    named: drawing([...named, [undefined, unnamed]]),
    kind: drawing(kinds.map(([kind, { titles }]) => [kind, titles])),
    weight: named.reduce((sum, [, titles]) => sum + titles, unnamed),
  }
}

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
