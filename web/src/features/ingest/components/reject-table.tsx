import type { ImportReject } from '@dealdeck/contract/ingest'
import { useMarketplace } from '../../../platform/money.ts'
import { ScrollRegion } from '../../../ui/scroll-region.tsx'
import classes from './table.module.css'

const shown = 50

/** The first refused rows; the download has all that are kept. */
export function RejectTable({ rejects }: { rejects: readonly ImportReject[] }) {
  const { number } = useMarketplace()
  return (
    <ScrollRegion label="Rejected rows, the first of them">
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col" className={classes.number}>
              Row
            </th>
            <th scope="col">ASIN</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {rejects.slice(0, shown).map(({ row, asin, reason }) => (
            <tr key={`${row} ${reason}`}>
              <td className={classes.number}>{number(row)}</td>
              <td>{asin ?? '—'}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
