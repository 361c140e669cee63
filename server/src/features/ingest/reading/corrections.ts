import { type ImportField, importFieldSchema } from '@dealdeck/contract/ingest'
import { AppError } from '../../../platform/errors.ts'
import type { Column } from './cells.ts'
import { plainName } from './column-names.ts'
import type { Corrections } from './columns.ts'

const names: ReadonlySet<string> = new Set(importFieldSchema.options)

/** A field and the column name somebody gave for it; '' leaves the field unfilled. */
export type ColumnOverride = { field: ImportField; column: string }

/**
 * Reads `price=colname,title=other`. A column name may hold commas as long as what follows isn't `field=`.
 * Throws INVALID_INPUT naming the known fields.
 */
export function parseColumnMap(map: string): ColumnOverride[] {
  const overrides: ColumnOverride[] = []
  for (const part of map.split(',')) {
    const [, name = '', column = ''] = /^\s*([a-z_]+)\s*=(.*)$/is.exec(part) ?? []
    const last = overrides.at(-1)
    const field = importFieldSchema.options.find((option) => option === name.toLowerCase())
    if (field) overrides.push({ field, column: column.trim() })
    else if (last && name === '' && last.column !== '') last.column += `,${part}`
    else if (part.trim() !== '')
      throw invalid(`'${part.trim().slice(0, 80)}' is not field=column. Fields are ${[...names].join(', ')}.`)
  }
  return overrides
}

/** The columns that overrides mean. Throws INVALID_INPUT naming the columns there are. */
export function findColumns(overrides: readonly ColumnOverride[], columns: readonly Column[]): Corrections {
  const corrections: Corrections = {}
  for (const { field, column: wanted } of overrides) {
    if (wanted === '') {
      corrections[field] = null
      continue
    }
    const column =
      columns.find(({ name }) => name === wanted) ??
      columns.find(({ name }) => name.toLowerCase() === wanted.toLowerCase()) ??
      columns.find(({ name }) => plainName(name) !== '' && plainName(name) === plainName(wanted))
    if (!column) {
      const known = columns
        .slice(0, 60)
        .map(({ name }) => name)
        .join(', ')
      throw invalid(`There is no column '${wanted.slice(0, 80)}'. Columns are ${known || 'none'}.`)
    }
    corrections[field] = column
  }
  return corrections
}

function invalid(message: string): AppError {
  return new AppError('INVALID_INPUT', message, { fields: { map: message } })
}
