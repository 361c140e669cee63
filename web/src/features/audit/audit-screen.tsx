import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { Notice } from '../../ui/notice.tsx'
import paged from '../../ui/paged-list.module.css'
import { PagedList } from '../../ui/paged-list.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { actorsQuery, entriesQuery } from './api.ts'
import classes from './audit-screen.module.css'
import { AuditFilterBar } from './components/audit-filters.tsx'
import { AuditRow } from './components/audit-row.tsx'
import { isUnfiltered, noAuditFilters } from './view.ts'

/** Every change by an administrator: who, when, what, before and after. */
export function AuditScreen() {
  const { ago, exactTime, number } = useMarketplace()
  const [filters, setFilters] = useState(noAuditFilters)
  const list = useInfiniteQuery(entriesQuery(filters))
  const { data: actors = [] } = useQuery(actorsQuery)
  const entries = list.data?.pages.flatMap((page) => page.items)

  return (
    <div className={classes.tab}>
      <AuditFilterBar filters={filters} actors={actors} onChange={setFilters} />
      {list.isRefetchError && <SourceLabel>Could not refresh. Newer entries may be missing.</SourceLabel>}
      <PagedList
        list={list}
        items={entries}
        failed="The audit list can’t be loaded"
        waiting={{ rows: 6, height: '4rem' }}
        empty={
          <Notice title={isUnfiltered(filters) ? 'Nothing has been changed yet' : 'No entry matches'}>
            {isUnfiltered(filters)
              ? 'Every change by an administrator will be listed here.'
              : 'Choose fewer filters to see more.'}
          </Notice>
        }
        older="Show older entries"
      >
        {(items) => (
          <ul className={paged.framed} aria-label="Audit list" data-old={list.isPlaceholderData || undefined}>
            {items.map((entry) => (
              <AuditRow key={entry.id} entry={entry} ago={ago} exactTime={exactTime} number={number} />
            ))}
          </ul>
        )}
      </PagedList>
    </div>
  )
}
