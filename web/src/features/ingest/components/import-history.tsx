import type { ImportRecord } from '@dealdeck/contract/ingest'
import { Button, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { Notice } from '../../../ui/notice.tsx'
import { importsQuery, rejectsQuery } from '../api.ts'
import card from './card.module.css'
import classes from './import-history.module.css'
import { RejectTable } from './reject-table.tsx'

/** Every finished import, the newest first, with what became of its rows. */
export function ImportHistory() {
  const history = useInfiniteQuery(importsQuery)
  const imports = history.data?.pages.flatMap((page) => page.items)
  return (
    <section className={`${card.card} ${classes.section}`} aria-labelledby="imports">
      <h2 id="imports" className={classes.heading}>
        History of imports
      </h2>
      {imports === undefined && history.isError ? (
        <Notice
          failed
          title="The history can’t be loaded"
          action={<Button onClick={() => void history.refetch()}>Try Again</Button>}
        >
          {errorMessage(history.error)}
        </Notice>
      ) : imports === undefined ? (
        <div aria-busy="true" className={classes.list}>
          {[0, 1, 2].map((place) => (
            <Skeleton key={place} height="4.5rem" mb="xs" />
          ))}
        </div>
      ) : imports.length === 0 ? (
        <Notice title="Nothing imported yet">Each import is listed here with what became of its rows.</Notice>
      ) : (
        <ul className={classes.list} aria-label="Imports">
          {imports.map((one) => (
            <ImportRow key={one.id} record={one} />
          ))}
        </ul>
      )}
      {history.hasNextPage && (
        <Button
          variant="default"
          className={classes.more}
          loading={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          Show older imports
        </Button>
      )}
    </section>
  )
}

function ImportRow({ record }: { record: ImportRecord }) {
  const { number, ago, exactTime } = useMarketplace()
  const [isOpen, setOpen] = useState(false)
  const counts: [label: string, value: number][] = [
    ['received', record.received],
    ['created', record.created],
    ['updated', record.updated],
    ['unchanged', record.unchanged],
  ]
  if (record.superseded > 0) counts.push(['overtaken by a later row', record.superseded])
  const finished = record.finished_at ?? record.started_at
  return (
    <li className={classes.row}>
      <p className={classes.name}>
        {record.source === 'http' ? 'Import' : record.source}{' '}
        <span className={classes.by}>
          by {record.handed_in_by},{' '}
          <time dateTime={finished} title={exactTime(finished)}>
            {ago(finished)}
          </time>
        </span>
      </p>
      <p className={classes.counts}>
        {counts.map(([label, value]) => (
          <span key={label}>
            <strong>{number(value)}</strong> {label}
          </span>
        ))}
        {record.rejected === 0 ? (
          <span>
            <strong>0</strong> rejected
          </span>
        ) : (
          <button
            type="button"
            className={classes.rejected}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <strong>{number(record.rejected)}</strong> rejected
          </button>
        )}
        {record.missing_hidden > 0 && (
          <span>
            <strong>{number(record.missing_hidden)}</strong> not listed and hidden
          </span>
        )}
      </p>
      {isOpen && <Rejects id={record.id} />}
    </li>
  )
}

function Rejects({ id }: { id: number }) {
  const { number } = useMarketplace()
  const { data, error } = useQuery(rejectsQuery(id))
  if (error) return <p role="alert">{errorMessage(error)}</p>
  if (data === undefined) return <p role="status">Loading …</p>
  if (data.rejected.length === 0) return <p className={classes.by}>Its rejected rows are no longer kept.</p>
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
    </div>
  )
}
