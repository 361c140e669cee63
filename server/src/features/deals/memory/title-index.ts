import { plainText } from '@dealdeck/query/folding'

/** Words between the spaces of titles in which a piece of a text stands, as far as they are known. */
export type WordSet = {
  /** By word number: 1 for those in it. */
  has: Uint8Array
  words: number[]
  /** Words looked at so far. */
  seen: number
  matches: (word: string) => boolean
}

/** What a title has to hold: for each piece of a text one of these words, and the whole of it if it has a space. */
export type TextTerm = { sets: WordSet[]; phrase: string | undefined }

/** Sets of words are remembered for the next time they are asked for: so many bytes of them, and these few in any case. */
const [setsBytes, fewestSets] = [32_000_000, 100]

/** The plain forms of all rows' titles as numbers of words, and for each word the rows that have it. */
export class TitleIndex {
  readonly #words: string[] = []
  readonly #numbers = new Map<string, number>()
  /** For two letters that follow one another all words with them, in the order of their numbers. */
  readonly #pairs = new Map<number, number[]>()
  /** For each word its rows, in no order; some may no longer have it, or be in it twice. */
  readonly #rows: Uint32Array[] = []
  readonly #rowCounts: number[] = []
  /** The words of all titles one after the other, and where those of a row begin and how many they are. */
  #text = new Uint32Array(16_384)
  #textEnd = 0
  #garbage = 0
  #start = new Uint32Array(1024)
  #length = new Uint16Array(1024)
  readonly #sets = new Map<string, WordSet>()
  /** The folded titles that are not their plain form. */
  readonly #folded = new Map<number, string>()

  /** Gives a row a folded title; a row that had another keeps nothing of it. */
  set(row: number, folded: string): void {
    const title = plainText(folded)
    if (title === folded) this.#folded.delete(row)
    else this.#folded.set(row, folded)
    if (row >= this.#start.length) {
      this.#start = enlarged(new Uint32Array(2 * Math.max(row, this.#start.length)), this.#start)
      this.#length = enlarged(new Uint16Array(this.#start.length), this.#length)
    }
    const before = this.#wordsOf(row)
    if (before.length > 0 && this.titleOf(row) === title) return
    const words = title.split(' ').map((word) => this.#numberOf(word))
    this.#garbage += before.length
    if (this.#textEnd + words.length > this.#text.length)
      this.#text = enlarged(new Uint32Array(2 * this.#text.length + words.length), this.#text)
    this.#start[row] = this.#textEnd
    this.#length[row] = words.length
    this.#text.set(words, this.#textEnd)
    this.#textEnd += words.length
    for (const word of new Set(words)) this.#addRow(word, row)
  }

  /** Takes a row's title away. */
  clear(row: number): void {
    this.#folded.delete(row)
    this.#garbage += this.#length[row] ?? 0
    this.#length[row] = 0
  }

  /** Whether so much of what is kept is of titles that are gone that it pays to make all anew. */
  get isWasteful(): boolean {
    return this.#garbage > 100_000 && this.#garbage > this.#textEnd / 2
  }

  /** Whether a title holds a folded text with its very accents, quotes and dashes. */
  holdsExactly(row: number, text: string): boolean {
    return (this.#folded.get(row) ?? this.titleOf(row)).includes(text)
  }

  /** The plain form of a title. */
  titleOf(row: number): string {
    return Array.from(this.#wordsOf(row), (word) => this.#words[word]).join(' ')
  }

  /** What a title has to hold for a text in its plain form. */
  term(text: string): TextTerm {
    const pieces = text.split(' ')
    const last = pieces.length - 1
    if (last === 0) return { sets: [this.#setOf('part', text)], phrase: undefined }
    const sets = pieces.flatMap((piece, at) => {
      if (at === 0) return piece === '' ? [] : [this.#setOf('end', piece)]
      if (at === last) return piece === '' ? [] : [this.#setOf('beginning', piece)]
      return [this.#setOf('word', piece)]
    })
    return { sets, phrase: text }
  }

  holds(row: number, { sets, phrase }: TextTerm): boolean {
    const start = this.#start[row] ?? 0
    const end = start + (this.#length[row] ?? 0)
    const text = this.#text
    next: for (const { has } of sets) {
      for (let at = start; at < end; at++) if (has[text[at] ?? 0] === 1) continue next
      return false
    }
    return phrase === undefined || this.titleOf(row).includes(phrase)
  }

  /** How many rows have one of these words, at most. */
  countRows({ words }: WordSet): number {
    let sum = 0
    for (const word of words) sum += this.#rowCounts[word] ?? 0
    return sum
  }

  /** Calls `visit` with each row that may have one of these words, some of them more than once. */
  forRows({ words }: WordSet, visit: (row: number) => void): void {
    for (const word of words) {
      const rows = this.#rows[word]
      const count = this.#rowCounts[word] ?? 0
      if (rows) for (let at = 0; at < count; at++) visit(rows[at] ?? 0)
    }
  }

  #wordsOf(row: number): Uint32Array {
    const start = this.#start[row] ?? 0
    return this.#text.subarray(start, start + (this.#length[row] ?? 0))
  }

  #numberOf(word: string): number {
    let number = this.#numbers.get(word)
    if (number === undefined) {
      number = this.#words.push(word) - 1
      this.#numbers.set(word, number)
      this.#rows.push(new Uint32Array(4))
      this.#rowCounts.push(0)
      for (let at = 1; at < word.length; at++) {
        const pair = pairAt(word, at)
        const known = this.#pairs.get(pair)
        if (!known) this.#pairs.set(pair, [number])
        else if (known.at(-1) !== number) known.push(number)
      }
    }
    return number
  }

  #addRow(word: number, row: number): void {
    const count = this.#rowCounts[word] ?? 0
    let rows = this.#rows[word] ?? new Uint32Array(4)
    if (count === rows.length) {
      rows = enlarged(new Uint32Array(count * 2), rows)
      this.#rows[word] = rows
    }
    rows[count] = row
    this.#rowCounts[word] = count + 1
  }

  /** The words with the rarest two letters of a piece; undefined for one that has no two, which may be in any. */
  #wordsWith(piece: string): number[] | undefined {
    let rarest: number[] | undefined
    for (let at = 1; at < piece.length; at++) {
      const words = this.#pairs.get(pairAt(piece, at)) ?? []
      if (!rarest || words.length < rarest.length) rarest = words
    }
    return rarest
  }

  #setOf(kind: 'part' | 'end' | 'beginning' | 'word', piece: string): WordSet {
    const key = `${kind} ${piece}`
    const set = this.#sets.get(key) ?? {
      ...{ has: new Uint8Array(0), words: [], seen: 0 },
      matches: matchers[kind](piece),
    }
    // At the end, so that those asked for longest ago are forgotten first.
    this.#sets.delete(key)
    this.#sets.set(key, set)
    const [oldest] = this.#sets.keys()
    const most = Math.max(fewestSets, setsBytes / this.#words.length)
    if (this.#sets.size > most && oldest !== undefined) this.#sets.delete(oldest)
    if (set.seen === this.#words.length) return set
    if (set.has.length < this.#words.length)
      set.has = enlarged(new Uint8Array(Math.ceil(this.#words.length * 1.1)), set.has)
    const words = this.#wordsWith(piece)
    for (let at = words ? firstFrom(words, set.seen) : set.seen; at < (words ?? this.#words).length; at++) {
      const word = words?.[at] ?? at
      if (!set.matches(this.#words[word] ?? '')) continue
      set.has[word] = 1
      set.words.push(word)
    }
    set.seen = this.#words.length
    return set
  }
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

const matchers = {
  part: (piece: string) => (word: string) => word.includes(piece),
  end: (piece: string) => (word: string) => word.endsWith(piece),
  beginning: (piece: string) => (word: string) => word.startsWith(piece),
  word: (piece: string) => (word: string) => word === piece,
}

function enlarged<Numbers extends Uint32Array | Uint16Array | Uint8Array>(
  larger: Numbers,
  numbers: Numbers,
): Numbers {
  larger.set(numbers)
  return larger
}
