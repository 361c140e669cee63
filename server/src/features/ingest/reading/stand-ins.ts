import { type ImportField, importFieldSchema } from '@dealdeck/contract/ingest'
import type { Column, SampledColumn } from './cells.ts'
import { nameScore } from './column-names.ts'
import { type Mapping, namedFor } from './columns.ts'
import { stateReader } from './states.ts'
import { cellText } from './text.ts'

/** What may keep a row from being a deal that is shown: wherever a row says it, it counts. */
const decisive = ['currency', 'marketplace', 'ends_at', 'deal_state'] as const satisfies ImportField[]

/** Whether a column that comes late may fill a field. Nested ones only by their names: any row may bring others. */
export function mayFill({ fields, priceSource }: Mapping, name: string): boolean {
  if (!name.includes('.')) return true
  const open = new Set<ImportField>(decisive)
  if (priceSource !== 'name') open.add('price')
  return importFieldSchema.options.some(
    (field) => (open.has(field) || !fields[field]) && nameScore(field, name) > 0,
  )
}

/**
 * The mapping, with other columns of such a meaning where the chosen one is silent, as in rows that say it elsewhere than
 * the first ones do. Fields that somebody has `settled` are left alone.
 */
export function withStandIns(
  mapping: Mapping,
  sample: readonly SampledColumn[],
  settled: ReadonlySet<ImportField>,
): Mapping {
  const used = new Set([...Object.values(mapping.fields), mapping.availableFlag])
  const free = sample.filter(({ column }) => !used.has(column))
  const fields = { ...mapping.fields }
  for (const field of decisive) {
    const chosen = fields[field]
    if (!chosen || settled.has(field)) continue
    const others = namedFor(field, free).map(({ column }) => column)
    if (others.length > 0) fields[field] = firstFilled(chosen, others, field)
  }
  return { ...mapping, fields }
}

function firstFilled(chosen: Column, others: readonly Column[], field: ImportField): Column {
  const readers = others.map(({ name, read }) => {
    if (field !== 'deal_state') return read
    // A yes or no means what its own column's name says.
    const isOver = stateReader(name)
    return (row: Parameters<typeof read>[0]) => {
      const over = isOver(read(row))
      return over === null ? undefined : over ? 'expired' : 'active'
    }
  })
  return {
    name: chosen.name,
    read: (row) => {
      const own = chosen.read(row)
      if (cellText(own) !== '') return own
      for (const read of readers) {
        const other = read(row)
        if (cellText(other) !== '') return other
      }
      return own
    },
  }
}
