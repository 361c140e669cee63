import { plainText } from '@dealdeck/query/folding'
import { addAll, addRow, addRows, bitsFor, hasRow, keepCommon, type RowBits } from './row-bits.ts'
import { WordList } from './word-list.ts'
import type { PieceKind } from './word-matchers.ts'

/** Words between the spaces of titles in which a piece of a text stands, as far as they are known. */
export type WordSet = {
  /** A bit for each word number. */
  has: RowBits
  /** The rows that may have one of the words, as of a number of changes. */
  rows: { bits: RowBits; changes: number } | undefined
  words: number[]
  /** Words looked at so far. */
  seen: number
}

/** What a title has to hold for a text: one of the words for each of its pieces, one after the other; undefined: any word. */
export type TextTerm = readonly (WordSet | undefined)[]

/** Sets of words are remembered for the next time they are asked for: so many bytes of them, and these few in any case. */
const [setsBytes, fewestSets] = [48_000_000, 100]
/** After so many changed titles the rows of sets are found anew. */
const mostChanges = 50_000
/** Rows with a word are noted as bits in this many times less than a title is looked at. */
const notingSpeed = 25

/** The plain forms of all rows' titles as numbers of words, and for each word the rows that have it. */
export class TitleIndex {
  readonly #words = new WordList()
  /**
   * For each word its rows, in no order; some may no longer have it, or be in it twice. Most words have had but one row, which stands
   * here itself: a list of one would take two hundred bytes.
   */
  readonly #rows: Array<number | Uint32Array> = []
  readonly #rowCounts: number[] = []
  /** The words of all titles one after the other, and where those of a row begin and how many they are. */
  #text = new Uint32Array(16_384)
  #textEnd = 0
  #garbage = 0
  #start = new Uint32Array(1024)
  #length = new Uint16Array(1024)
  readonly #sets = new Map<string, WordSet>()
  /** Rows that were given other titles; all before the first one were at once. */
  #changed: number[] = []
  #firstChange = 0
  #common = bitsFor(0)
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
    if (this.#changed.push(row) > mostChanges) {
      this.#firstChange += this.#changed.length
      this.#changed = []
    }
    const words = this.#numbersOf(title)
    this.#garbage += before.length
    if (this.#textEnd + words.length > this.#text.length)
      this.#text = enlarged(new Uint32Array(2 * this.#text.length + words.length), this.#text)
    this.#start[row] = this.#textEnd
    this.#length[row] = words.length
    this.#text.set(words, this.#textEnd)
    this.#textEnd += words.length
    for (const [at, word] of words.entries()) if (words.indexOf(word) === at) this.#addRow(word, row)
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
    return Array.from(this.#wordsOf(row), (word) => this.#words.at(word)).join(' ')
  }

  /** What a title has to hold for a text in its plain form: a title is its words with a space between each two. */
  term(text: string): TextTerm {
    const pieces = text.split(' ')
    const last = pieces.length - 1
    return pieces.map((piece, at) => {
      if (at > 0 && at < last) return this.#setOf('word', piece)
      if (piece === '') return undefined
      return this.#setOf(last === 0 ? 'part' : at === 0 ? 'end' : 'beginning', piece)
    })
  }

  /** What a title has to hold for a word without spaces that stands by itself. */
  wholeWord(text: string): TextTerm {
    return [this.#setOf('whole', text)]
  }

  /** The words of a title that is a text as a whole. */
  wholeTitle(text: string): TextTerm {
    return text.split(' ').map((piece) => this.#setOf('word', piece))
  }

  holds(row: number, term: TextTerm): boolean {
    const begin = this.#start[row] ?? 0
    const end = begin + (this.#length[row] ?? 0) - term.length
    next: for (let at = begin; at <= end; at++) {
      for (let piece = 0; piece < term.length; piece++)
        if (!hasWord(term[piece], this.#text[at + piece] ?? 0)) continue next
      return true
    }
    return false
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
      if (typeof rows === 'number') visit(rows)
      else if (rows) for (let at = 0; at < count; at++) visit(rows[at] ?? 0)
    }
  }

  /**
   * The rows that may have one word of each list, in a list of its own. `size`: as many rows have one of the rarest list. Lists
   * that would take longer to note than these rows to look at are left out. Good until the next call.
   */
  rowsWith(lists: readonly (readonly WordSet[])[], size: number): RowBits {
    const isCheap = (set: WordSet) => set.rows || this.countRows(set) <= notingSpeed * size
    const all = lists.filter((sets) => sets.every(isCheap)).map((sets) => this.#bitsOfAny(sets))
    const [first = bitsFor(0)] = all
    if (all.length < 2) return first
    // Not another one each time: what they take of memory would have all of it collected again and again.
    if (this.#common.length !== first.length) this.#common = bitsFor(this.#start.length)
    this.#common.set(first)
    for (const other of all.slice(1)) keepCommon(this.#common, other)
    return this.#common
  }

  #bitsOfAny(sets: readonly WordSet[]): RowBits {
    const [first, ...others] = sets
    if (!first) return bitsFor(0)
    if (others.length === 0) return this.#bitsOf(first)
    const some = this.#bitsOf(first).slice()
    for (const set of others) addAll(some, this.#bitsOf(set))
    return some
  }

  #bitsOf(set: WordSet): RowBits {
    const changes = this.#firstChange + this.#changed.length
    let { rows } = set
    if (rows && rows.changes >= this.#firstChange && rows.bits.length * 32 >= this.#start.length) {
      for (let at = rows.changes - this.#firstChange; at < this.#changed.length; at++)
        addRow(rows.bits, this.#changed[at] ?? 0)
      rows.changes = changes
    } else {
      const bits = bitsFor(this.#start.length)
      for (const word of set.words) addRows(bits, this.#rows[word] ?? 0, this.#rowCounts[word] ?? 0)
      rows = { bits, changes }
      set.rows = rows
    }
    return rows.bits
  }

  #wordsOf(row: number): Uint32Array {
    const start = this.#start[row] ?? 0
    return this.#text.subarray(start, start + (this.#length[row] ?? 0))
  }

  /** The words between its spaces, as numbers. */
  #numbersOf(title: string): number[] {
    const numbers: number[] = []
    // Not by `split`, which looks each text up among those it has split before.
    for (let from = 0, to = 0; to !== -1; from = to + 1) {
      to = title.indexOf(' ', from)
      numbers.push(this.#words.numberOf(to === -1 ? title.slice(from) : title.slice(from, to)))
    }
    return numbers
  }

  #addRow(word: number, row: number): void {
    const count = this.#rowCounts[word] ?? 0
    this.#rowCounts[word] = count + 1
    const known = this.#rows[word] ?? 0
    if (count === 0) this.#rows[word] = row
    else if (typeof known === 'number') this.#rows[word] = Uint32Array.of(known, row, 0, 0)
    else {
      const rows = count < known.length ? known : enlarged(new Uint32Array(count * 2), known)
      rows[count] = row
      this.#rows[word] = rows
    }
  }

  #setOf(kind: PieceKind, piece: string): WordSet {
    const key = `${kind} ${piece}`
    const set: WordSet = this.#sets.get(key) ?? { has: bitsFor(0), rows: undefined, words: [], seen: 0 }
    // At the end, so that those asked for longest ago are forgotten first.
    this.#sets.delete(key)
    this.#sets.set(key, set)
    const [oldest] = this.#sets.keys()
    const most = Math.max(fewestSets, (8 * setsBytes) / (this.#words.size + this.#start.length))
    if (this.#sets.size > most && oldest !== undefined) this.#sets.delete(oldest)
    if (set.seen === this.#words.size) return set
    if (set.has.length * 32 < this.#words.size) set.has = enlarged(bitsFor(this.#words.size * 1.1), set.has)
    this.#words.forEachWith(kind, piece, set.seen, (word) => {
      addRow(set.has, word)
      set.words.push(word)
    })
    set.seen = this.#words.size
    return set
  }
}

function hasWord(set: WordSet | undefined, word: number): boolean {
  return set === undefined || hasRow(set.has, word)
}

function enlarged<Numbers extends Uint32Array | Uint16Array>(larger: Numbers, numbers: Numbers): Numbers {
  larger.set(numbers)
  return larger
}
