import { importFieldLabels } from '@dealdeck/contract/import-fields'
import type { ImportField, ImportPreview } from '@dealdeck/contract/ingest'
import { type Marketplace, useMarketplace } from '../../platform/money.ts'
import { otherMoney } from '../../ui/other-money.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import classes from './components/table.module.css'
import { nameOf, previewFields } from './view.ts'

type PreviewRowsProps = {
  preview: ImportPreview
  /** What is said where there is no row. */
  empty: string
}

/** Rows of the beginning as the deals they would become, then those that would wait or be refused, and how many these are. */
export function PreviewRows({ preview, empty }: PreviewRowsProps) {
  const shop = useMarketplace()
  const { number } = shop
  const { rows, received } = preview
  const fields = previewFields(rows)
  const counts = [
    {
      ...{ count: preview.held_total, reasons: preview.held_by_reason },
      ...{ fate: 'wait for an administrator', look: classes.held },
    },
    {
      ...{ count: preview.rejected_total, reasons: preview.rejected_by_reason },
      ...{ fate: 'be refused', look: classes.refused },
    },
  ].filter(({ count }) => count > 0)
  if (rows.length === 0) return <p className={classes.empty}>{empty}</p>
  return (
    <>
      {counts.map(({ count, reasons, fate, look }) => (
        <p key={fate} className={look}>
          Of the first {number(received)} {received === 1 ? 'row' : 'rows'} {number(count)} would {fate}:{' '}
          {byReason(reasons, number)}.
        </p>
      ))}
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
                    {row.fate === 'left_out' ? 'Left out' : 'Refused'}: {row.reason ?? 'not understood'}
                    <span className={classes.about}>{nameOf(preview, row)}</span>
                  </td>
                ) : (
                  fields.map((field) => (
                    <td key={field} className={classes.cell} title={cellText(field, row, shop)}>
                      {cellText(field, row, shop)}
                      {field === 'title' && row.reason !== null && (
                        <span className={classes.waits}>
                          {row.fate === 'held' && 'Waits: '}
                          {row.reason}
                        </span>
                      )}
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

function byReason(reasons: Record<string, number>, number: (value: number) => string): string {
  const sorted = Object.entries(reasons).sort(([, one], [, other]) => other - one)
  return sorted.map(([reason, count]) => `${reason} (${number(count)})`).join(', ')
}

function cellText(
  field: ImportField,
  { deal }: ImportPreview['rows'][number],
  { money, locale }: Pick<Marketplace, 'money' | 'locale'>,
): string {
  const value = deal?.[field]
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number' && field.endsWith('price'))
    // What waits is in the money that it states.
    return typeof deal?.currency === 'string' ? otherMoney(value, deal.currency, locale) : money(value)
  return String(value)
}
