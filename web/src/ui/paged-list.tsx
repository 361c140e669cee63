import { Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { errorMessage } from '../platform/api-error.ts'
import { fetchMore } from './fetch-more.ts'
import { Notice } from './notice.tsx'
import classes from './paged-list.module.css'

type PagedListProps<T> = {
  /** The query behind it. */
  list: {
    isError: boolean
    error: unknown
    refetch: () => unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
  } & Parameters<typeof fetchMore>[0]
  /** What has come so far; undefined: nothing yet. */
  items: readonly T[] | undefined
  /** Said where nothing could be loaded. */
  failed: string
  /** What stands there before the first page: how many rows, how high, and what it is for those who listen. */
  waiting: { rows: number; height: string; label?: string }
  empty: ReactNode
  /** Says that there is more. */
  older: string
  children: (items: readonly T[]) => ReactNode
}

/** The frame of a list that comes page by page: while it is loaded, where that fails, empty, and with the way to the next page. */
export function PagedList<T>({ list, items, failed, waiting, empty, older, children }: PagedListProps<T>) {
  if (items === undefined)
    return list.isError ? (
      <Notice failed title={failed} action={<Button onClick={() => void list.refetch()}>Try Again</Button>}>
        {errorMessage(list.error)}
      </Notice>
    ) : (
      <div
        aria-busy="true"
        className={classes.waiting}
        {...(waiting.label && { role: 'status', 'aria-label': waiting.label })}
      >
        {Array.from({ length: waiting.rows }, (_, place) => place).map((place) => (
          <Skeleton key={place} height={waiting.height} radius="md" />
        ))}
      </div>
    )
  return (
    <>
      {items.length === 0 ? empty : children(items)}
      {list.hasNextPage && (
        <Button
          variant="default"
          className={classes.more}
          loading={list.isFetchingNextPage}
          onClick={() => void fetchMore(list)}
        >
          {older}
        </Button>
      )}
    </>
  )
}
