import type { SavedSearch } from '@dealdeck/contract/searches'
import { Button, Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useSession } from '../../platform/session.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import spoken from '../../ui/unseen.module.css'
import { useSearchChanges } from './api.ts'
import { EditDialog } from './components/edit-dialog.tsx'
import { FeedsDialog } from './components/feeds-dialog.tsx'
import { SearchItem } from './components/search-item.tsx'
import { useSearches } from './live.ts'
import classes from './searches-screen.module.css'
import { moved } from './view.ts'

/**
 * All saved searches, one's own and the group's: open, order, edit, share and delete them, and have other programs read them.
 * `bell`: whether its reader is told of what is new in one.
 */
export function SearchesScreen({ bell }: { bell: (search: SavedSearch) => ReactNode }) {
  const { searches, problem, isFetching, retry } = useSearches()
  const { remove, restore, arrange } = useSearchChanges()
  const shop = useMarketplace()
  const isAdministrator = useSession().role === 'admin'
  const { say, ...toast } = useActionNote()
  const [edited, setEdited] = useState<SavedSearch>()
  const [read, setRead] = useState<SavedSearch>()
  const [said, setSaid] = useState('')

  const fail = (what: string) => (error: Error) =>
    say({ text: `${what} ${errorMessage(error)}`, failed: true })
  const put = (items: readonly SavedSearch[]) => arrange.mutate(items, { onError: fail('Not saved.') })

  function discard({ id, name }: SavedSearch) {
    const undo = () => restore.mutate(id, { onError: fail('Not brought back.') })
    remove.mutate(id, {
      onSuccess: () => say({ text: `Deleted “${name}”.`, undo }),
      onError: fail('Not deleted.'),
    })
  }

  return (
    <div className={classes.screen}>
      <header>
        <h1 className={classes.title}>Saved searches</h1>
        <p className={classes.lead}>
          What you look for, with what is new since you looked last. The same on all your devices.
        </p>
      </header>
      {problem !== undefined && searches !== undefined && (
        <p className={classes.stale} role="status">
          <span>These are the searches this device saw last. {problem}</span>
          <Button variant="default" size="compact-sm" loading={isFetching} onClick={retry}>
            Try again
          </Button>
        </p>
      )}
      {searches === undefined ? (
        problem === undefined ? (
          <div className={classes.waiting} role="status" aria-label="Loading saved searches" aria-busy="true">
            <Skeleton height="5.5rem" radius="md" />
            <Skeleton height="5.5rem" radius="md" />
          </div>
        ) : (
          <Notice
            failed
            title="Your searches could not be loaded"
            action={
              <Button loading={isFetching} onClick={retry}>
                Try Again
              </Button>
            }
          >
            {problem}
          </Notice>
        )
      ) : searches.length === 0 ? (
        <Notice
          title="Nothing saved yet"
          action={
            <Button component={Link} to="/amazon-haul">
              Look for deals
            </Button>
          }
        >
          Search the deals for what you want, then press “Save search” above the list.
        </Notice>
      ) : (
        <ul className={classes.list} aria-label="Saved searches">
          {searches.map((search, at) => (
            <SearchItem
              key={search.id}
              search={search}
              shop={shop}
              isFirst={at === 0}
              isLast={at === searches.length - 1}
              bell={bell(search)}
              mayRemove={search.is_mine || isAdministrator}
              onMove={(step) => {
                put(moved(searches, at, at + step))
                setSaid(`${search.name} is ${at + step + 1} of ${searches.length}`)
              }}
              onRow={(is_in_row) =>
                put(searches.map((other) => (other.id === search.id ? { ...other, is_in_row } : other)))
              }
              onEdit={() => setEdited(search)}
              onFeeds={() => setRead(search)}
              onRemove={() => discard(search)}
            />
          ))}
        </ul>
      )}
      <span className={spoken.unseen} role="status">
        {said}
      </span>
      {edited && (
        <EditDialog
          search={edited}
          onSaved={({ id, name }) => {
            // What is saved late leaves another dialog alone that was opened meanwhile.
            setEdited((now) => (now === edited ? undefined : now))
            say({ text: id === edited.id ? `Saved “${name}”.` : `Saved “${name}” as a search of your own.` })
          }}
          onLateProblem={(text) => say({ text, failed: true })}
          onClose={() => setEdited(undefined)}
        />
      )}
      {read && <FeedsDialog search={read} onClose={() => setRead(undefined)} />}
      <ActionToast {...toast} />
    </div>
  )
}
