import { parseRow, type RawRow, type RowReader, rowLimit, tooLong } from './raw-row.ts'

/** One JSON object a line; blank lines don't count, a broken line spoils only itself. */
export class NdjsonRows implements RowReader {
  private held = ''
  private skipping = false

  push(text: string): RawRow[] {
    const rows: RawRow[] = []
    let at = 0
    for (;;) {
      const end = text.indexOf('\n', at)
      if (end < 0) break
      if (this.skipping) rows.push(tooLong)
      else {
        const piece = text.slice(at, end)
        this.add(rows, this.held === '' ? piece : this.held + piece)
      }
      this.held = ''
      this.skipping = false
      at = end + 1
    }
    if (!this.skipping) this.held += text.slice(at)
    if (this.held.length > rowLimit) {
      this.held = ''
      this.skipping = true
    }
    return rows
  }

  end(): RawRow[] {
    const rows: RawRow[] = []
    if (this.skipping) rows.push(tooLong)
    else this.add(rows, this.held)
    return rows
  }

  private add(rows: RawRow[], line: string): void {
    const first = line.charCodeAt(0)
    if (first !== 123 && line.trim() === '') return
    rows.push(line.length > rowLimit ? tooLong : parseRow(line))
  }
}
