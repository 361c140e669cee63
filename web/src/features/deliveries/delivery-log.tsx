import type { Destination } from '@dealdeck/contract/deliveries'
import { Button, Skeleton } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { laterApi } from '../../platform/later-client.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { fetchMore } from '../../ui/fetch-more.ts'
import { Notice } from '../../ui/notice.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import type { LogFilter } from './api.ts'
import { LogFilters } from './components/log-filters.tsx'
import { LogRow } from './components/log-row.tsx'
import classes from './delivery-log.module.css'
import { useDeliveryLog } from './live.ts'
import { sentAgainText } from './view.ts'

type DeliveryLogProps = {
  /** Whether it is that of all members. */
  isWhole: boolean
  destinations: readonly Destination[]
  searches: readonly { id: number; name: string }[]
  /** What to do where nothing was ever sent. */
  lead: ReactNode
}

/** What was sent, is to be sent, or was not and why: like a diary, the newest first. */
export function DeliveryLog({ isWhole, destinations, searches, lead }: DeliveryLogProps) {
  const queries = useQueryClient()
  const shop = useMarketplace()
  const now = useNow()
  const { say, ...toast } = useActionNote()
  const [filter, setFilter] = useState<LogFilter>({})
  const asked = useMemo(() => (isWhole ? { ...filter, all: true as const } : filter), [filter, isWhole])
  const log = useDeliveryLog(asked)
  const replay = useMutation(
    laterApi.deliveries.replay.mutationOptions({
      onSuccess: (sent) => say({ text: sentAgainText(sent, shop.number) }),
      onError: (error) => say({ text: `Not sent again. ${errorMessage(error)}`, failed: true }),
      onSettled: () => void queries.invalidateQueries({ queryKey: laterApi.deliveries.list.key() }),
    }),
  )
  const pages = log.data?.pages
  const rows = useMemo(() => {
    const items = pages?.flatMap((page) => page.items) ?? []
    // What has come meanwhile moves the others down a place.
    return [...new Map(items.map((row) => [row.id, row])).values()]
  }, [pages])
  const isFiltered = Object.keys(filter).length > 0

  return (
    <section className={classes.log} aria-label="Log">
      <LogFilters filter={filter} destinations={destinations} searches={searches} onChange={setFilter} />
      {log.isRefetchError && <SourceLabel>Could not refresh. This may be out of date.</SourceLabel>}
      {log.data === undefined ? (
        log.isError ? (
          <Notice
            failed
            title="The log can’t be loaded"
            action={
              <Button loading={log.isFetching} onClick={() => void log.refetch()}>
                Try Again
              </Button>
            }
          >
            {errorMessage(log.error)}
          </Notice>
        ) : (
          <div className={classes.waiting} role="status" aria-label="Loading the log" aria-busy="true">
            {[0, 1, 2, 3].map((at) => (
              <Skeleton key={at} height="4.5rem" radius="lg" />
            ))}
          </div>
        )
      ) : rows.length === 0 ? (
        isFiltered ? (
          <Notice
            title="Nothing like that in the last 30 days"
            action={
              <Button variant="default" onClick={() => setFilter({})}>
                Show all
              </Button>
            }
          >
            What was sent, what waits and what wasn’t sent stands here for 30 days.
          </Notice>
        ) : (
          lead
        )
      ) : (
        <>
          <ul className={classes.list} aria-label="What was sent">
            {rows.map((delivery) => (
              <LogRow
                key={delivery.id}
                delivery={delivery}
                shop={shop}
                now={now}
                hasOwner={isWhole}
                isBusy={replay.isPending && replay.variables.id === delivery.id}
                onReplay={() => replay.mutate({ id: delivery.id })}
              />
            ))}
          </ul>
          {log.hasNextPage && (
            <Button
              variant="default"
              className={classes.more}
              loading={log.isFetchingNextPage}
              onClick={() => void fetchMore(log)}
            >
              Show older
            </Button>
          )}
        </>
      )}
      <ActionToast {...toast} />
    </section>
  )
}
