import { AppError } from '../../../platform/errors.ts'
import { noSuchList, writeListPath } from './json-lists.ts'
import { parseRow, type RawRow, type RowReader, rowLimit, tooLong } from './raw-row.ts'
import { each, type RowsForm, type RowsLocation } from './row-location.ts'

type Frame = { isObject: boolean; key: string; wantsKey: boolean }

/** Longer keys lead nowhere we look. */
const keyLimit = 200
/** Rows lie in few containers; whoever opens more without end would fill the memory with them. */
const frameLimit = 200
/** So many lists are remembered where a named one isn't found. */
const mostPassed = 10

/** Splits JSON into its rows with no more than one of them in memory. The rest of the body is skipped. */
export class JsonRows implements RowReader {
  private location: RowsLocation
  private readonly form: RowsForm
  private readonly frames: Frame[] = []
  private inRows: boolean
  private found = false
  /** Paths of lists of objects that were passed on the way to a named one. */
  private readonly passed: Set<string> | undefined
  /** Set between a `[` that may begin the rows and its first element. */
  private maybeRows = false
  private text = ''
  /** Where the current row, or the key outside the rows, begins in `text`; -1 between rows. */
  private start = -1
  private depth = 0
  private inString = false
  private escaped = false
  private isTooLong = false

  /** The key of the row to come, in a dictionary. */
  private key: string | undefined

  constructor(location: RowsLocation, form: RowsForm = {}) {
    this.location = location
    this.form = form
    if (form.isNamed) this.passed = new Set()
    this.inRows = location === 'top'
  }

  push(text: string): RawRow[] {
    const rows: RawRow[] = []
    let at = 0
    if (this.start >= 0) {
      at = this.text.length - this.start
      this.text = this.text.slice(this.start) + text
      this.start = 0
    } else this.text = text
    while (at < this.text.length) at = this.inRows ? this.scanRows(at, rows) : this.scanOutside(at)
    this.dropTooLong(at)
    return rows
  }

  end(): RawRow[] {
    const rows: RawRow[] = []
    // A bare word at the very end has no character behind it that would end it.
    if (this.location === 'top' && this.start >= 0 && this.depth === 0 && !this.inString)
      this.emit(this.text.length, rows)
    if (this.start >= 0 || this.inString || this.frames.length > 0) {
      throw new AppError('INVALID_INPUT', 'The JSON is broken off at its end. Nothing was imported.')
    }
    if (typeof this.location !== 'string' && this.passed && !this.found)
      throw noSuchList(this.location, [...this.passed])
    if (this.location !== 'top' && !this.found) {
      throw new AppError(
        'INVALID_INPUT',
        'The JSON holds no list of deals. Send an array of objects, or an object with such an array in it.',
      )
    }
    return rows
  }

  /** Walks over elements; returns where to go on, which is at the end of the text or behind the rows' `]`. */
  private scanRows(from: number, rows: RawRow[]): number {
    const { text } = this
    const { isKeyed = false } = this.form
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.inString) {
        if (this.escaped) this.escaped = false
        else if (code === 92) this.escaped = true
        else if (code === 34) {
          this.inString = false
          if (this.depth === 0) this.emit(at + 1, rows)
        }
        continue
      }
      if (code === 123 || code === 91) {
        if (this.depth === 0 && this.start >= 0) this.emit(at, rows)
        if (this.start < 0) this.start = at
        this.depth += 1
      } else if (code === 125 || code === 93) {
        if (this.depth > 0) {
          this.depth -= 1
          if (this.depth === 0) this.emit(at + 1, rows)
          continue
        }
        if (this.start >= 0) this.emit(at, rows)
        if (this.location === 'top' || (code === 125) !== isKeyed) throw malformed()
        if (this.key !== undefined) throw malformed()
        this.frames.pop()
        this.inRows = false
        return at + 1
      } else if (code === 34) {
        if (this.depth === 0 && this.start >= 0) this.emit(at, rows)
        if (this.start < 0) this.start = at
        this.inString = true
      } else if (this.depth === 0) {
        const isBetween = code === 44 || code <= 32 || (code === 58 && isKeyed)
        if (isBetween && this.start >= 0) this.emit(at, rows)
        else if (!isBetween && this.start < 0) this.start = at
      }
    }
    return text.length
  }

  /** Walks the containers around the rows; returns where to go on. */
  private scanOutside(from: number): number {
    const { text } = this
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const frame = this.frames.at(-1)
      if (this.inString) {
        if (this.escaped) this.escaped = false
        else if (code === 92) this.escaped = true
        else if (code === 34) this.endString(at, frame)
        continue
      }
      if (code <= 32) continue
      if (this.maybeRows) {
        this.maybeRows = false
        if (code === 123 && this.passed) this.pass(this.passed)
        else if (code === 123) {
          this.location = this.frames.slice(0, -1).map(({ key }) => key)
          return this.enterRows(at)
        }
      }
      if (code === 34) {
        this.inString = true
        if (frame?.wantsKey) this.start = at
      } else if (code === 123) {
        const isAtRows = this.form.isKeyed === true && this.leadsHere()
        this.open(true)
        if (isAtRows) return this.enterRows(at + 1)
      } else if (code === 91) {
        const isAtRows = this.form.isKeyed !== true && this.leadsHere()
        this.open(false)
        if (isAtRows) return this.enterRows(at + 1)
        const isFirst =
          this.location === 'first' && this.frames.slice(0, -1).every(({ isObject }) => isObject)
        this.maybeRows = isFirst || this.passed !== undefined
      } else if (code === 125 || code === 93) {
        if (this.frames.pop()?.isObject !== (code === 125)) throw malformed()
      } else if (code === 44 && frame) frame.wantsKey = frame.isObject
      else if (!frame) throw malformed()
    }
    return text.length
  }

  private pass(passed: Set<string>): void {
    if (passed.size < mostPassed)
      passed.add(writeListPath(this.frames.slice(0, -1).map(({ isObject, key }) => (isObject ? key : each))))
  }

  private open(isObject: boolean): void {
    if (this.frames.length === frameLimit) throw malformed()
    // A document of another form behind the list may hold rows as well, and nobody would hear of them.
    if (this.frames.length === 0 && this.found && isObject !== this.beginsWithObject) throw malformed()
    this.frames.push({ isObject, key: '', wantsKey: isObject })
  }

  /** Whether documents with their rows at this location are objects. */
  private get beginsWithObject(): boolean {
    const [first] = this.location
    return first === undefined ? this.form.isKeyed === true : first !== each
  }

  private endString(at: number, frame: Frame | undefined): void {
    this.inString = false
    if (!frame) throw malformed()
    if (!frame.wantsKey) return
    frame.wantsKey = false
    frame.key = keyOf(this.text.slice(this.start, at + 1))
    this.start = -1
  }

  private leadsHere(): boolean {
    const { location, frames } = this
    if (typeof location === 'string' || location.length !== frames.length) return false
    return frames.every(({ isObject, key }, depth) =>
      location[depth] === each ? !isObject : isObject && key === location[depth],
    )
  }

  private enterRows(at: number): number {
    this.inRows = true
    this.found = true
    return at
  }

  private emit(end: number, rows: RawRow[]): void {
    const isTooLong = this.isTooLong || end - this.start > rowLimit
    const text = isTooLong ? '' : this.text.slice(this.start, end)
    this.start = -1
    this.isTooLong = false
    if (this.form.isKeyed && this.key === undefined) {
      this.key = keyOf(text)
      return
    }
    rows.push(isTooLong ? tooLong : parseRow(text, this.form, this.key))
    this.key = undefined
  }

  /** Forgets the text of a row (or key) too long to be one; its end is still looked for. */
  private dropTooLong(at: number): void {
    if (this.start < 0 || at - this.start <= rowLimit) return
    this.isTooLong = this.inRows
    this.text = ''
    this.start = 0
  }
}

function keyOf(text: string): string {
  if (text.length > keyLimit) return ''
  try {
    return String(JSON.parse(text))
  } catch {
    return ''
  }
}

const malformed = () => new AppError('INVALID_INPUT', 'The JSON is not well formed. Nothing was imported.')
