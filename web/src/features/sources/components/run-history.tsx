import type { SourceRun } from '@dealdeck/contract/sources'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import paged from '../../../ui/paged-list.module.css'
import { PagedList } from '../../../ui/paged-list.tsx'
import { runsQuery } from '../api.ts'
import { useProgress } from '../live.ts'
import { countsOf, durationOf, runLabelOf, runLooks, withLocalTimes } from '../view.ts'
import classes from './run-history.module.css'
import { SourceState } from './source-state.tsx'

type RunHistoryProps = {
  id: number
  shop: Pick<Marketplace, 'ago' | 'exactTime' | 'number' | 'locale'>
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
    <section className={paged.section} aria-labelledby="runs">
      <h3 id="runs" className={paged.heading}>
        History
      </h3>
      <PagedList
        list={history}
        items={once}
        failed="The history can’t be loaded"
        waiting={{ rows: 3, height: '4rem' }}
        empty={<p className={classes.empty}>It has not been asked yet. “Run now” asks it at once.</p>}
        older="Show older runs"
      >
        {(items) => (
          <ul className={paged.rows} aria-label="Runs">
            {items.map((run) => (
              <RunRow key={run.id} run={run} sourceId={id} {...props} />
            ))}
          </ul>
        )}
      </PagedList>
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
      {text !== null && <p className={classes.text}>{withLocalTimes(text, shop.locale, now)}</p>}
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
