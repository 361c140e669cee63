import type { SavedSearch, SearchFeed } from '@dealdeck/contract/searches'
import { Button, CloseButton, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { useCopy } from '../../../platform/clipboard.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { CopyToast } from '../../../ui/copy-toast.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { feedsQuery, useFeedChanges } from '../api.ts'
import { feedFormats, feedKinds } from '../view.ts'
import classes from './feeds-dialog.module.css'

const copiedForMs = 3_000

const focusFirst = (button: HTMLButtonElement | null) => button?.focus()

/** The addresses at which other programs read a search: make one, copy it while it is shown, see when it was read, revoke it. */
export function FeedsDialog({ search, onClose }: { search: SavedSearch; onClose: () => void }) {
  const feeds = useQuery(feedsQuery(search.id))
  const { create } = useFeedChanges(search.id)
  const { copied, copy } = useCopy(copiedForMs)
  const [made, setMade] = useState<{ id: number; url: string }>()
  const [isRevoked, setRevoked] = useState(false)
  const outcome = useRef<HTMLParagraphElement>(null)

  function onRevoked(id: number) {
    if (made?.id === id) setMade(undefined)
    setRevoked(true)
    // The pressed button is gone with its address.
    outcome.current?.focus()
  }

  return (
    <Dialog title="Feeds" onClose={onClose}>
      <CloseButton className={classes.close} size={44} aria-label="Close" onClick={onClose} />
      <p className={classes.hint}>
        Other programs read “{search.name}” at an address of its own. Whoever knows the address can read it,
        so keep it to yourself.
      </p>
      <Group gap="xs" className={classes.make}>
        {feedKinds.map(({ kind, make }) => (
          <Button
            key={kind}
            variant="default"
            loading={create.isPending && create.variables?.kind === kind}
            onClick={() => {
              setRevoked(false)
              create.mutate({ id: search.id, kind }, { onSuccess: setMade })
            }}
          >
            {make}
          </Button>
        ))}
      </Group>
      <p role="alert" className={classes.problem}>
        {create.isError && errorMessage(create.error)}
      </p>
      <p ref={outcome} role="status" tabIndex={-1} className={classes.outcome}>
        {isRevoked && 'Revoked. Programs that read the address get nothing any more.'}
      </p>
      {made && (
        <div className={classes.made} role="status">
          <p className={classes.once}>Copy it now, it is not shown again.</p>
          {feedFormats.map(({ ending, label }) => (
            <div key={ending} className={classes.address}>
              <code className={classes.text}>{`${made.url}.${ending}`}</code>
              <Button onClick={() => void copy(ending, `${made.url}.${ending}`)}>Copy {label}</Button>
            </div>
          ))}
        </div>
      )}
      {feeds.data === undefined ? (
        <p className={classes.hint} role={feeds.isError ? 'alert' : 'status'}>
          {feeds.isError
            ? `The addresses can’t be loaded. ${errorMessage(feeds.error)}`
            : 'Loading addresses'}
        </p>
      ) : (
        feeds.data.length > 0 && (
          <ul className={classes.list} aria-label="Addresses">
            {feeds.data.map((feed) => (
              <FeedLine key={feed.id} feed={feed} search={search} onRevoked={() => onRevoked(feed.id)} />
            ))}
          </ul>
        )
      )}
      <CopyToast copied={copied} success="Address copied" failure="Failed to copy" />
    </Dialog>
  )
}

type FeedLineProps = { feed: SearchFeed; search: SavedSearch; onRevoked: () => void }

function FeedLine({ feed, search, onRevoked }: FeedLineProps) {
  const { ago, exactTime } = useMarketplace()
  const { revoke } = useFeedChanges(search.id)
  // Undefined until somebody asks, so that nothing has the focus before.
  const [isAsked, setAsked] = useState<boolean>()
  const { id, kind, created_at, last_used_at } = feed
  return (
    <li className={classes.feed}>
      <div className={classes.what}>
        <p className={classes.name}>{feedKinds.find((one) => one.kind === kind)?.label}</p>
        <p className={classes.times}>
          <time dateTime={created_at} title={exactTime(created_at)}>
            Made {ago(created_at)}
          </time>
          {' · '}
          {last_used_at ? (
            <time dateTime={last_used_at} title={exactTime(last_used_at)}>
              last read {ago(last_used_at)}
            </time>
          ) : (
            'never read'
          )}
        </p>
        {isAsked && <p className={classes.times}>Programs that read it get nothing any more.</p>}
        <p role="alert" className={classes.problem}>
          {revoke.isError && errorMessage(revoke.error)}
        </p>
      </div>
      {isAsked ? (
        <Group gap="xs" wrap="nowrap">
          <Button
            color="red"
            loading={revoke.isPending}
            onClick={() => revoke.mutate({ id: search.id, feed_id: id }, { onSuccess: onRevoked })}
          >
            Revoke
          </Button>
          {/* Where the button that asks was, so that pressing it twice revokes nothing. */}
          <Button ref={focusFirst} variant="default" onClick={() => setAsked(false)}>
            Keep
          </Button>
        </Group>
      ) : (
        <Button
          ref={isAsked === false ? focusFirst : undefined}
          variant="default"
          aria-label={`Revoke the address made ${ago(created_at)}`}
          onClick={() => setAsked(true)}
        >
          Revoke
        </Button>
      )}
    </li>
  )
}
