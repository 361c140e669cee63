import { importFieldLabels } from '@dealdeck/contract/import-fields'
import type { ImportField, ImportPreview } from '@dealdeck/contract/ingest'
import { useMarketplace } from '../../platform/money.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import classes from './components/table.module.css'
import { nameOf, previewFields } from './view.ts'

type PreviewRowsProps = {
  preview: ImportPreview
  /** What is said where there is no row. */
  empty: string
}

/** Rows of the beginning as the deals they would become, those that would be refused last, and how many these are. */
export function PreviewRows({ preview, empty }: PreviewRowsProps) {
  const { number, money } = useMarketplace()
  const { rows, received, rejected_total: refused } = preview
  const fields = previewFields(rows)
  const reasons = Object.entries(preview.rejected_by_reason).sort(([, one], [, other]) => other - one)
  if (rows.length === 0) return <p className={classes.empty}>{empty}</p>
  return (
    <>
      {refused > 0 && (
        <p className={classes.refused}>
          Of the first {number(received)} {received === 1 ? 'row' : 'rows'} {number(refused)} would be
          refused: {reasons.map(([reason, count]) => `${reason} (${number(count)})`).join(', ')}.
        </p>
      )}
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
                <td className={classes.number}>{number(row.row)}</td>
                {row.deal === null ? (
                  <td colSpan={Math.max(fields.length, 1)} className={classes.refused}>
                    Refused: {row.reason ?? 'not understood'}
                    <span className={classes.about}>{nameOf(preview, row)}</span>
                  </td>
                ) : (
                  fields.map((field) => (
                    <td
                      key={field}
                      className={classes.cell}
                      title={cellText(field, row.deal?.[field], money)}
                    >
                      {cellText(field, row.deal?.[field], money)}
                    </td>
                  ))
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  )
}

function cellText(
  field: ImportField,
  value: string | number | boolean | null | undefined,
  money: (amount: number) => string,
): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number' && field.endsWith('price')) return money(value)
  return String(value)
}
