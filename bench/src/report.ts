/** One figure of a measurement; `isMet` is undefined where there is no target to meet. */
export type Figure = {
  name: string
  value: number | string
  unit: string
  target?: string
  isMet?: boolean
  /** What else a reader needs to judge the figure. */
  note?: string
}

/** What one measurement found; `details` goes into the JSON only. */
export type Report = {
  title: string
  figures: Figure[]
  details?: unknown
  /** The name it is kept under, where that isn't the measurement's. */
  keptAs?: string
  /** What has to follow `--only` to measure it again, where that isn't the name and the rows. */
  command?: string
}

/** A figure that should be at most `limit`. */
export function atMost(name: string, value: number, limit: number, unit: string, note?: string): Figure {
  return { name, value, unit, target: `≤ ${limit}`, isMet: value <= limit, ...(note ? { note } : {}) }
}

/** A figure that should be at least `limit`. */
export function atLeast(name: string, value: number, limit: number, unit: string, note?: string): Figure {
  return { name, value, unit, target: `≥ ${limit}`, isMet: value >= limit, ...(note ? { note } : {}) }
}

/** A figure as cells of a table: whether it is met, name, value, unit, target, note. */
export function figureCells(figure: Figure): string[] {
  return [
    figure.isMet === undefined ? ' ' : figure.isMet ? '✓' : '✗',
    figure.name,
    typeof figure.value === 'number' ? shown(figure.value) : figure.value,
    figure.unit,
    figure.target ?? '',
    figure.note ?? '',
  ]
}

/** Prints a report as a table. */
export function printReport({ title, figures }: Report): void {
  const rows = figures.map(figureCells)
  const header = ['', title, 'measured', '', 'target', '']
  const widths = header.map((_cell, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  for (const row of [header, ...rows]) {
    const cells = row.map((cell, column) =>
      column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    console.log(cells.join('  ').trimEnd())
  }
  console.log('')
}

/** The value in the middle; NaN for no values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** The least value that at least this share of all don't exceed; NaN for no values. */
export function percentile(share: number, values: readonly number[]): number {
  const at = Math.max(0, Math.ceil(share * values.length) - 1)
  return values.toSorted((a, b) => a - b)[at] ?? Number.NaN
}

function shown(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(value < 100 ? 2 : 0)
}
