import type { UserRecord } from '@dealdeck/contract/users'
import { Button, Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { laterClient } from '../../platform/later-client.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useSession } from '../../platform/session.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { dropUser, refetchLists, replaceUser, restartLists, usersQuery } from './api.ts'
import { DeleteDialog } from './components/delete-dialog.tsx'
import { SelfDialog } from './components/self-dialog.tsx'
import { UserCard, type UserProps } from './components/user-card.tsx'
import { UserDialog } from './components/user-dialog.tsx'
import { UserList } from './components/user-list.tsx'
import { UserRow } from './components/user-row.tsx'
import { UserTable } from './components/user-table.tsx'
import { UserTools } from './components/user-tools.tsx'
import classes from './users-admin.module.css'
import {
  countLine,
  failureLine,
  isOutdated,
  isUnfiltered,
  noFilters,
  type Switching,
  switches,
  type UserFilters,
} from './view.ts'

type Asking =
  | { what: 'add' }
  | { what: 'edit' | 'delete'; user: UserRecord }
  | { what: 'deactivate' | 'reject'; user: UserRecord }

/** All accounts: find one, add, edit, activate, approve, delete. The dashboard's User Management. */
export function UsersAdmin() {
  const queries = useQueryClient()
  const shop = useMarketplace()
  const { id: ownId } = useSession()
  const { say, ...toast } = useActionNote()
  const section = useRef<HTMLElement>(null)
  const count = useRef<HTMLParagraphElement>(null)
  const switched = useRef<number>(undefined)
  const isWide = useMediaQuery('(min-width: 62.5em)', undefined, { getInitialValueInEffect: false })
  const [filters, setFilters] = useState<UserFilters>(noFilters)
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set())
  const [problem, setProblem] = useState<{ id: number; message: string }>()
  const [asking, setAsking] = useState<Asking>()

  const list = useInfiniteQuery({ ...usersQuery(filters), placeholderData: (previous) => previous })
  const { hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = list
  const users = useMemo(() => unique(list.data?.pages.flatMap((page) => page.items) ?? []), [list.data])
  const total = list.data?.pages.at(-1)?.total ?? 0
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage])

  // A button that has done what it says is gone once the list is drawn, and whoever pressed it by key goes on beside its place.
  useEffect(() => {
    const active =
      users && section.current?.querySelector<HTMLElement>(`[data-active-of="${switched.current}"]`)
    switched.current = undefined
    if (document.activeElement === document.body) active?.focus()
  }, [users])

  const change = (part: Partial<UserFilters>) => setFilters({ ...filters, ...part })
  const isSelf = (user: UserRecord) => user.id === ownId
  /** Who is saved late leaves another dialog alone that was opened meanwhile. */
  const close = () => setAsking((now) => (now === asking ? undefined : now))
  const sayLate = (text: string) => say({ text, failed: true })

  /** Their own session may just have ended; whoever asks next learns of it. */
  const checkOwnSession = (user: UserRecord) => {
    if (isSelf(user)) void queries.invalidateQueries({ queryKey: ['session'] })
  }

  async function apply(user: UserRecord, how: Switching) {
    if (busy.has(user.id)) return
    close()
    setProblem(undefined)
    setBusy(new Set([...busy, user.id]))
    try {
      const { change, done } = switches[how]
      const update = { id: user.id, ...change, expected_updated_at: user.updated_at }
      const changed = await laterClient.users.update(update)
      switched.current = user.id
      replaceUser(queries, changed)
      say({ text: `${user.username} ${done}` })
      checkOwnSession(user)
    } catch (error) {
      setProblem({ id: user.id, message: failureLine(`Failed to ${how} user`, error) })
      if (isOutdated(error)) refetchLists(queries)
    } finally {
      setBusy((now) => without(now, user.id))
    }
  }

  function onSwitch(user: UserRecord, how: Switching) {
    if (isSelf(user) && (how === 'deactivate' || how === 'reject')) setAsking({ what: how, user })
    else void apply(user, how)
  }

  function onSaved(user: UserRecord) {
    close()
    setProblem(undefined)
    if (asking?.what === 'add') {
      setFilters(noFilters)
      restartLists(queries)
    } else replaceUser(queries, user)
    setOpen(new Set([...open, user.id]))
    say({ text: asking?.what === 'add' ? `${user.username} is added` : `${user.username} is saved` })
    checkOwnSession(user)
  }

  function onDeleted(user: UserRecord) {
    close()
    dropUser(queries, user.id)
    say({ text: `${user.username} is deleted` })
    checkOwnSession(user)
    // The card that had the focus is gone; the dialog before it still stands now, and nothing behind it takes the focus.
    requestAnimationFrame(() => count.current?.focus())
  }

  const propsOf = (user: UserRecord): UserProps => ({
    ...{ user, shop },
    isSelf: isSelf(user),
    isBusy: busy.has(user.id),
    problem: problem?.id === user.id ? problem.message : undefined,
    onSwitch: (how) => onSwitch(user, how),
    onEdit: () => setAsking({ what: 'edit', user }),
    onDelete: () => setAsking({ what: 'delete', user }),
  })

  const listed = {
    ...{ users, total },
    hasMore: hasNextPage && !isFetching && !list.isFetchNextPageError,
    onMore: more,
  }
  const filtered = !isUnfiltered(filters)
  return (
    <section ref={section} className={classes.users} aria-label="User Management">
      <UserTools filters={filters} onChange={change} onAdd={() => setAsking({ what: 'add' })} />
      {list.data?.pages[0]?.is_fallback && (
        <SourceLabel>Showing the built-in accounts, the database can't be reached</SourceLabel>
      )}
      {list.isRefetchError && <SourceLabel>Could not refresh. These users may be out of date.</SourceLabel>}
      <p ref={count} className={classes.count} role="status" tabIndex={-1}>
        {list.data ? countLine(total, filtered, shop.number) : ' '}
      </p>
      {list.isPending ? (
        <Waiting />
      ) : list.data === undefined ? (
        <Notice
          failed
          title="Failed to load users"
          action={
            <Button loading={isFetching} onClick={() => void list.refetch()}>
              Try Again
            </Button>
          }
        >
          {failureLine('The list could not be fetched', list.error)}
        </Notice>
      ) : users.length === 0 ? (
        <Notice
          title="No user matches"
          action={<Button onClick={() => setFilters(noFilters)}>Show all users</Button>}
        >
          Nobody has this in their name and fits the filters.
        </Notice>
      ) : (
        <div className={classes.list} data-waiting={isPlaceholderData || undefined}>
          {isWide ? (
            <UserTable {...listed} row={(user, place) => <UserRow {...propsOf(user)} place={place} />} />
          ) : (
            <UserList
              {...listed}
              card={(user) => (
                <UserCard
                  {...propsOf(user)}
                  isOpen={open.has(user.id)}
                  onToggle={() => setOpen(toggled(open, user.id))}
                />
              )}
            />
          )}
          {list.isFetchingNextPage && (
            <p className={classes.more} role="status">
              Loading more
            </p>
          )}
          {list.isFetchNextPageError && (
            <div className={classes.end} role="alert">
              <span>Failed to load users</span>
              <Button variant="default" onClick={more}>
                Try Again
              </Button>
            </div>
          )}
        </div>
      )}
      {asking && (asking.what === 'add' || asking.what === 'edit') && (
        <UserDialog
          user={asking.what === 'edit' ? asking.user : undefined}
          isSelf={asking.what === 'edit' && isSelf(asking.user)}
          onSaved={onSaved}
          onOutdated={() => refetchLists(queries)}
          onLateProblem={sayLate}
          onClose={close}
        />
      )}
      {asking?.what === 'delete' && (
        <DeleteDialog
          user={asking.user}
          isSelf={isSelf(asking.user)}
          onDeleted={() => onDeleted(asking.user)}
          onOutdated={() => refetchLists(queries)}
          onLateProblem={sayLate}
          onClose={close}
        />
      )}
      {(asking?.what === 'deactivate' || asking?.what === 'reject') && (
        <SelfDialog
          how={asking.what}
          onConfirm={() => void apply(asking.user, asking.what)}
          onClose={close}
        />
      )}
      <ActionToast {...toast} />
    </section>
  )
}

function Waiting() {
  return (
    <div className={classes.waiting} aria-busy="true" role="status" aria-label="Loading users">
      {Array.from({ length: 8 }, (_, place) => place).map((place) => (
        <Skeleton key={place} height="4.125rem" radius="lg" />
      ))}
    </div>
  )
}

/** Each once: somebody who was deleted meanwhile moves the others up by a place. */
function unique(users: readonly UserRecord[]): UserRecord[] {
  return [...new Map(users.map((user) => [user.id, user])).values()]
}

function toggled(ids: ReadonlySet<number>, id: number): ReadonlySet<number> {
  return ids.has(id) ? without(ids, id) : new Set([...ids, id])
}

function without(ids: ReadonlySet<number>, id: number): ReadonlySet<number> {
  return new Set([...ids].filter((other) => other !== id))
}
