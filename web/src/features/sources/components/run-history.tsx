import type { SourceRun } from '@dealdeck/contract/sources'
import { Button, Skeleton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { Notice } from '../../../ui/notice.tsx'
import { runsQuery } from '../api.ts'
import { useProgress } from '../live.ts'
import { countsOf, durationOf, runLabelOf, runLooks } from '../view.ts'
import classes from './run-history.module.css'
import { SourceState } from './source-state.tsx'

type RunHistoryProps = {
  id: number
  shop: Pick<Marketplace, 'ago' | 'exactTime' | 'number'>
  now: number
  /** What an import has refused. */
  rejects: (importId: number) => ReactNode
}

/** When a source was asked and what came of it, the newest first. */
export function RunHistory({ id, ...props }: RunHistoryProps) {
  const history = useInfiniteQuery(runsQuery(id))
  const runs = history.data?.pages.flatMap((page) => page.items)
  // What has come meanwhile moves the others up a place.
  const once = runs && [...new Map(runs.map((run) => [run.id, run])).values()]
  return (
    <section className={classes.section} aria-labelledby="runs">
      <h3 id="runs" className={classes.heading}>
        History
      </h3>
      {once === undefined && history.isError ? (
        <Notice
          failed
          title="The history can’t be loaded"
          action={<Button onClick={() => void history.refetch()}>Try Again</Button>}
        >
          {errorMessage(history.error)}
        </Notice>
      ) : once === undefined ? (
        <div aria-busy="true">
          {[0, 1, 2].map((place) => (
            <Skeleton key={place} height="4rem" mb="xs" />
          ))}
        </div>
      ) : once.length === 0 ? (
        <p className={classes.empty}>It has not been asked yet. “Run now” asks it at once.</p>
      ) : (
        <ul className={classes.list} aria-label="Runs">
          {once.map((run) => (
            <RunRow key={run.id} run={run} sourceId={id} {...props} />
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
          Show older runs
        </Button>
      )}
    </section>
  )
}

type RunRowProps = Omit<RunHistoryProps, 'id'> & { run: SourceRun; sourceId: number }

function RunRow({ run, sourceId, shop, now, rejects }: RunRowProps) {
  const [isOpen, setOpen] = useState(false)
  const progress = useProgress(sourceId, shop.number)
  const { state, started_at, text, notes, cost, import_ids, rejected } = run
  const facts = [durationOf(run), cost].filter(Boolean).join(' · ')
  return (
    <li className={classes.row}>
      <p className={classes.head}>
        <SourceState look={runLooks[state]} label={runLabelOf(run)} />
        <time className={classes.time} dateTime={started_at} title={shop.exactTime(started_at)}>
          {shop.ago(started_at, now)}
        </time>
        {facts !== '' && <span className={classes.time}>{facts}</span>}
      </p>
      {state === 'running' ? (
        <p className={classes.counts}>{progress ?? countsOf(run, shop.number)}</p>
      ) : (
        (state === 'done' || run.received > 0) && (
          <p className={classes.counts}>{countsOf(run, shop.number)}</p>
        )
      )}
      {text !== null && <p className={classes.text}>{text}</p>}
      {notes.length > 0 && (
        <ul className={classes.notes}>
          {[...new Set(notes)].map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {rejected > 0 && import_ids.length > 0 && (
        <Button
          variant="default"
          size="compact-sm"
          className={classes.rejects}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {shop.number(rejected)} refused: which and why
        </Button>
      )}
      {isOpen && import_ids.map((importId) => <div key={importId}>{rejects(importId)}</div>)}
    </li>
  )
}
