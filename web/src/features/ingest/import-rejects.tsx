import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { errorMessage } from '../../platform/api-error.ts'
import { downloadText } from '../../platform/download.ts'
import { useMarketplace } from '../../platform/money.ts'
import { rejectsQuery } from './api.ts'
import { RejectTable } from './components/reject-table.tsx'
import classes from './import-rejects.module.css'
import { rejectsCsv } from './view.ts'

/** What an import has refused and why, to read and to keep. `name` is what the file to keep is called after. */
export function ImportRejects({ id, name }: { id: number; name: string }) {
  const { number } = useMarketplace()
  const { data, error } = useQuery(rejectsQuery(id))
  if (error) return <p role="alert">{errorMessage(error)}</p>
  if (data === undefined) return <p role="status">Loading …</p>
  if (data.rejected.length === 0) return <p className={classes.note}>Its rejected rows are no longer kept.</p>
  const total = Object.values(data.rejected_by_reason).reduce((sum, count) => sum + count, 0)
  const reasons = Object.entries(data.rejected_by_reason).sort(([, one], [, other]) => other - one)
  return (
    <div className={classes.rejects}>
      <ul className={classes.reasons} aria-label="Reasons">
        {reasons.map(([reason, count]) => (
          <li key={reason}>
            <strong>{number(count)}</strong> {reason}
          </li>
        ))}
      </ul>
      <RejectTable rejects={data.rejected} />
      {total > data.rejected.length && (
        <p className={classes.note}>The list holds the first {number(data.rejected.length)} of them.</p>
      )}
      <Button
        variant="default"
        className={classes.download}
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => downloadText(rejectsCsv(data.rejected), `${name}.rejected.csv`, 'text/csv')}
      >
        Download rejects (CSV)
      </Button>
    </div>
  )
}
