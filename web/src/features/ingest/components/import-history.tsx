import type { ImportRecord } from '@dealdeck/contract/ingest'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMarketplace } from '../../../platform/money.ts'
import { Notice } from '../../../ui/notice.tsx'
import paged from '../../../ui/paged-list.module.css'
import { PagedList } from '../../../ui/paged-list.tsx'
import { importsQuery } from '../api.ts'
import { ImportRejects } from '../import-rejects.tsx'
import card from './card.module.css'
import classes from './import-history.module.css'

/** Every finished import that somebody handed in, the newest first, with what became of its rows. */
export function ImportHistory() {
  const history = useInfiniteQuery(importsQuery)
  const imports = history.data?.pages.flatMap((page) => page.items)
  return (
    <section className={`${card.card} ${paged.section}`} aria-labelledby="imports">
      <h2 id="imports" className={paged.heading}>
        History of imports
      </h2>
      <PagedList
        list={history}
        items={imports}
        failed="The history can’t be loaded"
        waiting={{ rows: 3, height: '4.5rem' }}
        empty={
          <Notice title="Nothing imported yet">
            Each import that somebody hands in is listed here with what became of its rows. What sources bring
            is listed with each source.
          </Notice>
        }
        older="Show older imports"
      >
        {(items) => (
          <ul className={paged.rows} aria-label="Imports">
            {items.map((one) => (
              <ImportRow key={one.id} record={one} />
            ))}
          </ul>
        )}
      </PagedList>
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
    <li>
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
