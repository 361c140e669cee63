import { importFieldLabels } from '@dealdeck/contract/import-fields'
import type { ImportPreview } from '@dealdeck/contract/ingest'
import { ScrollRegion } from '../../../ui/scroll-region.tsx'
import { previewFields } from '../view.ts'
import classes from './table.module.css'

type PreviewRow = ImportPreview['rows'][number]

/** The first rows as the deals they would become, or why they are refused. */
export function PreviewRows({ rows }: { rows: PreviewRow[] }) {
  const fields = previewFields(rows)
  if (rows.length === 0)
    return <p className={classes.empty}>There are no rows in the beginning of this file.</p>
  return (
    <ScrollRegion label="First rows">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col" className={classes.number}>
              Row
            </th>
            {fields.map((field) => (
              <th key={field} scope="col">
                {importFieldLabels[field]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.row}>
              <td className={classes.number}>{row.row}</td>
              {row.deal === null ? (
                <td colSpan={Math.max(fields.length, 1)} className={classes.refused}>
                  Refused: {row.reason ?? 'not understood'}
                </td>
              ) : (
                fields.map((field) => (
                  <td key={field} className={classes.cell} title={cellText(row.deal?.[field])}>
                    {cellText(row.deal?.[field])}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

function cellText(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value)
}
