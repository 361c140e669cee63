import { Button, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { Notice } from '../../ui/notice.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { actorsQuery, entriesQuery } from './api.ts'
import classes from './audit-screen.module.css'
import { AuditFilterBar } from './components/audit-filters.tsx'
import { AuditRow } from './components/audit-row.tsx'
import { noAuditFilters } from './view.ts'

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
      {entries === undefined && list.isError ? (
        <Notice
          failed
          title="The audit list can’t be loaded"
          action={<Button onClick={() => void list.refetch()}>Try Again</Button>}
        >
          {errorMessage(list.error)}
        </Notice>
      ) : entries === undefined ? (
        <div aria-busy="true" className={classes.waiting}>
          {Array.from({ length: 6 }, (_, index) => index).map((index) => (
            <Skeleton key={index} height="4rem" radius="md" />
          ))}
        </div>
      ) : entries.length === 0 ? (
        <Notice title={filters === noAuditFilters ? 'Nothing has been changed yet' : 'No entry matches'}>
          {filters === noAuditFilters
            ? 'Every change by an administrator will be listed here.'
            : 'Choose fewer filters to see more.'}
        </Notice>
      ) : (
        <ul className={classes.list} aria-label="Audit list" data-old={list.isPlaceholderData || undefined}>
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} ago={ago} exactTime={exactTime} number={number} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button
          variant="default"
          className={classes.more}
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show older entries
        </Button>
      )}
    </div>
  )
}
