import type { OwnSession } from '@dealdeck/contract/profile'
import { Button, Skeleton } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { laterClient } from '../../../platform/later-client.ts'
import { type Marketplace, useMarketplace } from '../../../platform/money.ts'
import { fetchMore } from '../../../ui/fetch-more.ts'
import { Notice } from '../../../ui/notice.tsx'
import { sessionsQuery } from '../view/sessions.ts'
import { endedLine, isHandheld, shownLine } from '../view.ts'
import { Panel } from './panel.tsx'
import classes from './session-list.module.css'
import tag from './tag.module.css'

/** Where the user is signed in, and how to end that. */
export function SessionList() {
  const queries = useQueryClient()
  const shop = useMarketplace()
  const list = useInfiniteQuery(sessionsQuery)
  const sessions = list.data?.pages.flatMap(({ items }) => items)
  const total = list.data?.pages[0]?.total ?? 0
  const [busy, setBusy] = useState<readonly (number | 'others')[]>([])
  const [feedback, setFeedback] = useState<{ text: string; failed: boolean }>()
  const said = useRef<HTMLParagraphElement>(null)

  async function end(which: number | 'others', work: () => Promise<string>) {
    setBusy((others) => [...others, which])
    if (busy.length === 0) setFeedback(undefined)
    try {
      const text = await work()
      setFeedback((last) => (last?.failed ? last : { text, failed: false }))
    } catch (error) {
      setFeedback({ text: errorMessage(error), failed: true })
    }
    setBusy((all) => all.filter((one) => one !== which))
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    // The button that had the focus is gone with its session.
    if (document.activeElement === document.body) said.current?.focus()
  }

  const endOne = ({ id, device }: OwnSession) =>
    end(id, async () => {
      await laterClient.profile.endSession({ id })
      return `${device} is signed out`
    })
  const endOthers = () =>
    end('others', async () => endedLine((await laterClient.profile.endOtherSessions()).ended, shop.number))

  return (
    <Panel
      title="Where you are signed in"
      lead="Sign out of whatever you don’t know or no longer use."
      action={
        total > 1 && (
          <Button variant="default" loading={busy.includes('others')} onClick={() => void endOthers()}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      <p
        ref={said}
        className={classes.feedback}
        role="status"
        tabIndex={-1}
        data-failed={feedback?.failed || undefined}
      >
        {feedback?.text}
      </p>
      {list.isPending ? (
        <div className={classes.waiting} role="status" aria-label="Loading sessions" aria-busy="true">
          <Skeleton height="3.5rem" radius="md" />
          <Skeleton height="3.5rem" radius="md" />
        </div>
      ) : sessions === undefined ? (
        <Notice
          failed
          title="Your sessions could not be loaded"
          action={
            <Button loading={list.isFetching} onClick={() => void list.refetch()}>
              Try Again
            </Button>
          }
        >
          {errorMessage(list.error)}
        </Notice>
      ) : (
        <ul className={classes.list} aria-label="Sessions">
          {sessions.map((session) => (
            <li key={session.id} className={classes.session}>
              <SessionLine session={session} shop={shop} />
              {!session.is_current && (
                <Button
                  variant="default"
                  size="sm"
                  className={classes.end}
                  loading={busy.includes(session.id)}
                  aria-label={`Sign out ${session.device}, ${session.address}`}
                  onClick={() => void endOne(session)}
                >
                  Sign out
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {sessions !== undefined && list.hasNextPage && (
        <div className={classes.more}>
          <Button
            variant="default"
            className={classes.end}
            loading={list.isFetchingNextPage}
            onClick={() => void fetchMore(list)}
          >
            Show more sessions
          </Button>
          <p className={classes.shown}>{shownLine(sessions.length, total, shop.number)}</p>
        </div>
      )}
    </Panel>
  )
}

function SessionLine({
  session,
  shop,
}: {
  session: OwnSession
  shop: Pick<Marketplace, 'ago' | 'exactTime'>
}) {
  const { device, address, last_used_at, created_at, is_current } = session
  const Icon = isHandheld(device) ? IconDeviceMobile : IconDeviceDesktop
  return (
    <>
      <Icon size={24} stroke={1.5} className={classes.icon} aria-hidden />
      <div className={classes.what}>
        <p className={classes.device}>
          {device}
          {is_current && <span className={tag.tag}>This device</span>}
        </p>
        <p className={classes.use}>
          <span>{address || 'Address unknown'}</span>
          <time dateTime={last_used_at} title={shop.exactTime(last_used_at)}>
            {is_current ? 'in use now' : `last used ${shop.ago(last_used_at)}`}
          </time>
          <time dateTime={created_at} title={shop.exactTime(created_at)}>
            signed in {shop.ago(created_at)}
          </time>
        </p>
      </div>
    </>
  )
}
