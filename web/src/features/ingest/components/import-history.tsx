import type { ImportRecord } from '@dealdeck/contract/ingest'
import { Button, Skeleton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { Notice } from '../../../ui/notice.tsx'
import { importsQuery } from '../api.ts'
import { ImportRejects } from '../import-rejects.tsx'
import card from './card.module.css'
import classes from './import-history.module.css'

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
      {isOpen && <ImportRejects id={record.id} name={record.source} />}
    </li>
  )
}
