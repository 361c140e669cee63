import type { Source } from '@dealdeck/contract/sources'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { useNow } from '../../platform/now.ts'
import { DayBars } from './components/day-bars.tsx'
import { RunHistory } from './components/run-history.tsx'
import { SourceActions, type SourceActionsProps } from './components/source-actions.tsx'
import { SourceState } from './components/source-state.tsx'
import { useProgress } from './live.ts'
import classes from './source-page.module.css'
import { barsText, lookOf, nextRunOf, withLocalTimes } from './view.ts'

type SourcePageProps = SourceActionsProps & {
  source: Source
  kind: string
  rejects: (importId: number) => ReactNode
}

/** One source: how it is, and each time it was asked. */
export function SourcePage({ source, kind, rejects, ...actions }: SourcePageProps) {
  const shop = useMarketplace()
  const now = useNow()
  const { id, held, failing_since, last_success_at, new_per_day } = source
  const progress = useProgress(id, shop.number)
  const times: [label: string, text: string, time: string | null][] = [
    ['Next run', nextRunOf(source, now), source.next_run_at],
    ['Last success', last_success_at === null ? 'None yet' : shop.ago(last_success_at, now), last_success_at],
  ]
  if (failing_since !== null) times.push(['Failing since', shop.ago(failing_since, now), failing_since])
  return (
    <div className={classes.page}>
      <section className={classes.card} aria-label="State">
        <div role="status" className={classes.state}>
          <SourceState look={lookOf(source)} />
          <p className={classes.text}>{progress ?? withLocalTimes(source.state_text, shop.locale, now)}</p>
        </div>
        <SourceActions source={source} {...actions} hasWords />
        <dl className={classes.facts}>
          <div>
            <dt>Kind</dt>
            <dd>{kind}</dd>
          </div>
          {typeof source.settings.url === 'string' && (
            <div className={classes.wide}>
              <dt>Address</dt>
              <dd>{source.settings.url}</dd>
            </div>
          )}
          {times.map(([label, text, time]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd title={time === null ? undefined : shop.exactTime(time)}>{text}</dd>
            </div>
          ))}
          <div>
            <dt>In quarantine</dt>
            <dd>
              {held === 0 ? (
                'Nothing'
              ) : (
                <Link
                  to="/admin-dashboard"
                  search={{ tab: 'quarantine', source: String(id) }}
                  className={classes.link}
                >
                  {shop.number(held)} {held === 1 ? 'row waits' : 'rows wait'}
                </Link>
              )}
            </dd>
          </div>
          <div>
            <dt>New deals a day</dt>
            <dd className={classes.bars}>
              <DayBars counts={new_per_day} number={shop.number} />
              <span aria-hidden>{barsText(new_per_day, shop.number)}</span>
            </dd>
          </div>
        </dl>
      </section>
      <div className={classes.card}>
        <RunHistory id={id} shop={shop} now={now} rejects={rejects} />
      </div>
    </div>
  )
}
