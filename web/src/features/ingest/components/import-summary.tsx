import type { ImportMissing, ImportResult } from '@dealdeck/contract/ingest'
import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { downloadText } from '../../../platform/download.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { rejectsCsv } from '../view.ts'
import classes from './import-summary.module.css'
import { RejectTable } from './reject-table.tsx'

/** What an import did, or would have done. */
export function ImportSummary({ result, fileName }: { result: ImportResult; fileName: string }) {
  const { number } = useMarketplace()
  const figures: [label: string, value: number][] = [
    ['Received', result.received],
    ['Created', result.created],
    ['Updated', result.updated],
    ['Unchanged', result.unchanged],
    ['Rejected', result.rejected_total],
  ]
  if (result.superseded > 0) figures.push(['Overtaken by a later row', result.superseded])
  const reasons = Object.entries(result.rejected_by_reason).sort(([, one], [, other]) => other - one)
  return (
    <div className={classes.summary}>
      <dl className={classes.figures}>
        {figures.map(([label, value]) => (
          <div key={label} className={classes.figure}>
            <dt>{label}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
      {result.hidden_without_availability > 0 && (
        <p className={classes.warning}>
          {hiddenText(result.hidden_without_availability, number)} To show them, give the rows an availability
          below and import the file again.
        </p>
      )}
      {result.hidden_over > 0 && (
        <p className={classes.note}>
          {result.hidden_over === 1
            ? '1 of these deals is over and not shown.'
            : `${number(result.hidden_over)} of these deals are over and not shown.`}
        </p>
      )}
      {result.missing && <MissingDeals missing={result.missing} isTrial={result.dry_run} />}
      {result.rejected_total > 0 && (
        <section className={classes.rejects} aria-label="Rejected rows">
          <h3 className={classes.heading}>Rejected, by reason</h3>
          <ul className={classes.reasons}>
            {reasons.map(([reason, count]) => (
              <li key={reason}>
                <span className={classes.count}>{number(count)}</span> {reason}
              </li>
            ))}
          </ul>
          <RejectTable rejects={result.rejected} />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => downloadText(rejectsCsv(result.rejected), `${fileName}.rejected.csv`, 'text/csv')}
          >
            Download rejects (CSV)
          </Button>
          {result.rejected_total > result.rejected.length && (
            <p className={classes.note}>The list holds the first {number(result.rejected.length)} of them.</p>
          )}
        </section>
      )}
    </div>
  )
}

/** What a file that lists everything leaves out. */
function MissingDeals({ missing, isTrial }: { missing: ImportMissing; isTrial: boolean }) {
  const { number } = useMarketplace()
  const { hidden, visible, examples, reason } = missing
  const what = isTrial ? 'would be hidden' : hidden === 1 ? 'was hidden' : 'were hidden'
  const isHeld = reason !== null && (isTrial || hidden === 0)
  return (
    <section className={classes.rejects} aria-label="Deals that are not in this file">
      <p className={isHeld ? classes.warning : classes.note}>
        {isHeld && !isTrial
          ? 'No deals were hidden.'
          : `${number(hidden)} of ${number(visible)} deals ${what}, since this file leaves them out.`}
        {isHeld && ` ${reason}`}
        {isHeld && !isTrial && ' A dry run shows which would be, and asks.'}
      </p>
      {hidden > 0 && (
        <details className={classes.which}>
          <summary>
            {hidden > examples.length ? `The newest ${number(examples.length)} of them` : 'Which these are'}
          </summary>
          <ul className={classes.reasons}>
            {examples.map(({ id, title }) => (
              <li key={id}>{title}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function hiddenText(count: number, number: (value: number) => string): string {
  const deals = count === 1 ? '1 of these deals stays' : `${number(count)} of these deals stay`
  return `${deals} hidden for want of an availability.`
}
