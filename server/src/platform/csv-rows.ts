import { AppError } from './errors.ts'

/** A record by its cells, or what is wrong with it; the line it begins on, the first being 1; and its text where it has several lines. */
export type CsvRecord =
  | { line: number; cells: readonly string[]; text?: string; problem?: undefined }
  | { line: number; problem: string; cells?: undefined; text?: undefined }

/** Characters of one record at most; nothing needs more, and none can exhaust the memory. */
export const recordLimit = 1_000_000
export const tooLongProblem = 'the row is longer than a million characters'

export type Delimiter = ',' | ';' | '\t' | '|'
export const delimiters: readonly Delimiter[] = [',', ';', '\t', '|']

/**
 * After so many quotes that never close, the file is no CSV of this kind; or after so many quotation marks behind them, each of which was
 * looked at in vain.
 */
const [openQuoteLimit, vainQuoteLimit] = [100, 400_000]

/**
 * Records of delimited text, the header among them: quoted fields may hold delimiters, newlines and doubled quotes; a
 * stray quote is a character like any other. Records without any text are left out.
 */
export class CsvRows {
  private readonly delimiter: Delimiter
  private readonly newline: '\n' | '\r'
  private text = ''
  /** So much of the text has been looked through for the end of its first record. */
  private searched = 0
  private openQuotes = 0
  private vainQuotes = 0
  private line = 1

  constructor(delimiter: Delimiter, newline: '\n' | '\r' = '\n') {
    this.delimiter = delimiter
    this.newline = newline
  }

  push(text: string): CsvRecord[] {
    this.text += text
    // Once it has grown by a quarter: a long record in tiny pieces would be looked through again for each of them.
    return this.text.length < this.searched * 1.25 ? [] : this.read(this.text, false)
  }

  end(): CsvRecord[] {
    return this.read(this.text, true)
  }

  private read(text: string, isEnd: boolean): CsvRecord[] {
    const rows: CsvRecord[] = []
    let at = 0
    let quote = text.indexOf('"')
    while (at < text.length) {
      if (quote >= 0 && quote < at) quote = text.indexOf('"', at)
      let lineEnd = text.indexOf(this.newline, at)
      if (lineEnd < 0) {
        if (!isEnd && text.length - at <= recordLimit) break
        lineEnd = text.length
      }
      if (quote < 0 || quote >= lineEnd) {
        if (lineEnd - at > recordLimit) {
          // The rest of this endless line is refused piece by piece as one row each: it has no end to wait for.
          rows.push({ line: this.line, problem: tooLongProblem })
        } else
          addCells(
            rows,
            this.line,
            text
              .slice(at, lineEnd - (text.charCodeAt(lineEnd - 1) === 13 && lineEnd > at ? 1 : 0))
              .split(this.delimiter),
          )
        at = lineEnd + 1
        this.line += 1
        continue
      }
      const record = readRecord(text, at, this.delimiter, this.newline, isEnd)
      if (record === 'more' && !isEnd && text.length - at <= recordLimit) break
      if (record === 'more' || record.next - at > recordLimit) {
        rows.push(this.refuseOpenQuote(text, at))
        at = lineEnd + 1
        this.line += 1
        continue
      }
      addCells(
        rows,
        this.line,
        record.cells,
        record.next > lineEnd + 1 ? text.slice(at, record.next) : undefined,
      )
      for (let end = lineEnd; end >= 0 && end < record.next; end = text.indexOf(this.newline, end + 1))
        this.line += 1
      at = record.next
    }
    this.text = isEnd ? '' : text.slice(at)
    this.searched = this.text.length
    return rows
  }

  private refuseOpenQuote(text: string, from: number): CsvRecord {
    this.openQuotes += 1
    const isOver = this.openQuotes > openQuoteLimit || this.vainQuotes > vainQuoteLimit
    for (let at = from; at >= 0 && at - from <= recordLimit; at = text.indexOf('"', at + 1))
      this.vainQuotes += 1
    if (isOver) {
      throw new AppError(
        'INVALID_INPUT',
        'Too many quotation marks are opened and never closed; this is not a readable CSV.',
      )
    }
    return { line: this.line, problem: 'a quotation mark is opened but never closed' }
  }
}

function addCells(rows: CsvRecord[], line: number, cells: string[], text?: string): void {
  if (cells.some((cell) => cell.trim() !== ''))
    rows.push(text === undefined ? { line, cells } : { line, cells, text })
}

/** One record with quotes in it, from `from`; `more` when its end isn't in the text yet. */
function readRecord(
  text: string,
  from: number,
  delimiter: string,
  newline: string,
  isEnd: boolean,
): { cells: string[]; next: number } | 'more' {
  const cells: string[] = []
  let at = from
  let lineEnd = -1
  for (;;) {
    // Nobody reads so long a record, and its caller finds that out from this as well.
    if (at - from > recordLimit) return 'more'
    const opening = skipSpaces(text, at, delimiter)
    if (text[opening] === '"') {
      const field = readQuoted(text, opening + 1, delimiter, newline, isEnd)
      if (field === 'more') return 'more'
      cells.push(field.value)
      at = field.next
    } else {
      // Once a line: looked for again from each of its cells, a line of nothing but cells would take the square of its length.
      if (lineEnd < at) lineEnd = endOr(text, newline, at)
      const end = Math.min(lineEnd, endOr(text, delimiter, at))
      if (end === text.length && !isEnd) return 'more'
      cells.push(text.slice(at, text[end - 1] === '\r' && text[end] === '\n' && end > at ? end - 1 : end))
      at = end
    }
    if (at >= text.length) return { cells, next: at }
    if (text[at] === delimiter) at += 1
    else return { cells, next: at + 1 }
    // A delimiter as the very last character leaves one empty field.
    if (at >= text.length) {
      if (!isEnd) return 'more'
      cells.push('')
      return { cells, next: at }
    }
  }
}

/** A quoted field from behind its opening quote; `next` stands at the delimiter, the newline or the end. */
function readQuoted(
  text: string,
  from: number,
  delimiter: string,
  newline: string,
  isEnd: boolean,
): { value: string; next: number } | 'more' {
  let value = ''
  let at = from
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0 || quote - from > recordLimit) return 'more'
    value += text.slice(at, quote)
    if (text[quote + 1] === '"') {
      value += '"'
      at = quote + 2
      continue
    }
    let next = skipSpaces(text, quote + 1, delimiter)
    if (text[next] === '\r' && newline === '\n') next += 1
    if (next >= text.length) return isEnd ? { value, next } : 'more'
    if (text[next] === delimiter || text[next] === newline) return { value, next }
    // Neither the end of the field nor a doubled quote: somebody forgot to double it.
    value += '"'
    at = quote + 1
  }
}

function skipSpaces(text: string, from: number, delimiter: string): number {
  let at = from
  while (text[at] === ' ' || (text[at] === '\t' && delimiter !== '\t')) at += 1
  return at
}

function endOr(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from)
  return at < 0 ? text.length : at
}
