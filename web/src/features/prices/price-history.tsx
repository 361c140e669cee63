import { Button, Skeleton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { useSession } from '../../platform/session.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { LateDialog } from '../../ui/late-dialog.tsx'
import { latePart } from '../../ui/late-part.tsx'
import { Notice } from '../../ui/notice.tsx'
import { pricesKey } from './api.ts'
import { Evidence } from './components/evidence.tsx'
import { PriceTable } from './components/price-table.tsx'
import { usePrices } from './live.ts'
import classes from './price-history.module.css'
import { type PriceRun, runsOf } from './view/runs.ts'
import { evidenceOf, sayListed, sayWhoseDays, withDates } from './view.ts'

const PriceChart = latePart(
  async () => (await import('./components/price-chart.tsx')).PriceChart,
  'The chart',
)
const markDialog = { fetch: async () => (await import('./components/mark-dialog.tsx')).MarkDialog }

/** What the prices that were seen of a deal say, why, and all of them: as a chart and as a table. */
export function PriceHistory({ dealId }: { dealId: number }) {
  const shop = useMarketplace()
  const formats = useMemo(() => withDates(shop), [shop])
  const queries = useQueryClient()
  const isAdmin = useSession().role === 'admin'
  const { points, verdict } = usePrices(dealId)
  const said = verdict.data
  // As of when the prices were read: what was known is not drawn on into a time without a connection.
  const until = points.dataUpdatedAt
  const runs = useMemo(() => points.data && runsOf(points.data, until), [points.data, until])
  const listed = runs && sayListed(runs, formats)
  const [marked, setMarked] = useState<PriceRun>()
  const { say, ...toast } = useActionNote()

  if (runs === undefined && points.isError)
    return (
      <Notice
        failed
        title="The prices can’t be loaded"
        action={
          <Button loading={points.isFetching} onClick={() => void points.refetch()}>
            Try Again
          </Button>
        }
      >
        {errorMessage(points.error)}
      </Notice>
    )
  if (runs?.length === 0)
    return (
      <p className={classes.source}>
        No history of this deal’s prices is kept, so nothing can be said of what its price is worth.
      </p>
    )
  return (
    <>
      <section className={classes.evidence} aria-labelledby="why" aria-busy={verdict.isPending}>
        <h2 id="why" className={classes.heading}>
          Why we say so
        </h2>
        {said ? (
          <>
            <p className={classes.sentence}>{said.text}</p>
            <Evidence {...evidenceOf(said, formats)} />
            <p className={classes.source}>
              As of <time dateTime={said.as_of}>{shop.exactTime(said.as_of)}</time>, from the prices below.
              {sayWhoseDays(said)}
            </p>
          </>
        ) : verdict.isError ? (
          <Notice
            failed
            title="What this price is worth can’t be loaded"
            action={
              <Button loading={verdict.isFetching} onClick={() => void verdict.refetch()}>
                Try Again
              </Button>
            }
          >
            {errorMessage(verdict.error)}
          </Notice>
        ) : (
          <Skeleton className={classes.waiting} />
        )}
      </section>
      <section className={classes.chart} aria-labelledby="chart">
        <h2 id="chart" className={classes.heading}>
          Prices over time
        </h2>
        <div className={classes.drawing}>
          {runs && (
            <PriceChart
              runs={runs}
              until={until}
              typical={said && said.kind !== 'new' ? said.figures.typical : null}
              sentence={said?.text ?? 'The prices that were seen'}
              shop={formats}
            />
          )}
        </div>
      </section>
      <section className={classes.table} aria-labelledby="changes">
        <h2 id="changes" className={classes.heading}>
          Every price we have seen
        </h2>
        {runs ? (
          <PriceTable runs={runs} shop={formats} onMark={isAdmin ? setMarked : undefined} />
        ) : (
          <Skeleton height="12rem" />
        )}
        {listed !== undefined && <p className={classes.source}>{listed}</p>}
      </section>
      {marked && (
        <LateDialog
          of={markDialog}
          props={{
            dealId,
            run: marked,
            shop: formats,
            onDone: () => {
              // What is marked late leaves another question alone that was opened meanwhile.
              setMarked((now) => (now === marked ? undefined : now))
              void queries.invalidateQueries({ queryKey: pricesKey(dealId) })
            },
            onLateProblem: (text) => say({ text, failed: true }),
            onClose: () => setMarked(undefined),
          }}
        />
      )}
      <ActionToast {...toast} />
    </>
  )
}
