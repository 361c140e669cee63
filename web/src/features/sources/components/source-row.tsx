import type { Source } from '@dealdeck/contract/sources'
import { Link } from '@tanstack/react-router'
import type { Marketplace } from '../../../platform/money.ts'
import spoken from '../../../ui/unseen.module.css'
import { useProgress } from '../live.ts'
import { lastResultOf, lookOf, nextRunOf, withLocalTimes } from '../view.ts'
import { DayBars } from './day-bars.tsx'
import { SourceActions, type SourceActionsProps } from './source-actions.tsx'
import classes from './source-list.module.css'
import { SourceState } from './source-state.tsx'

type SourceRowProps = Omit<SourceActionsProps, 'source'> & {
  source: Source
  kind: string
  shop: Pick<Marketplace, 'ago' | 'exactTime' | 'number' | 'locale'>
  now: number
}

/** A source on one line of a desk, or as a card: whether it runs, when it runs next and what came last. */
export function SourceRow({ source, kind, shop, now, ...actions }: SourceRowProps) {
  const { id, name, last_run, last_run_at, next_run_at, failing_since } = source
  const look = lookOf(source)
  const progress = useProgress(id, shop.number)
  return (
    <li className={classes.row} data-look={look}>
      <div className={classes.what}>
        <Link
          to="/admin-dashboard"
          search={{ tab: 'sources', source: String(id) }}
          className={classes.name}
          resetScroll={false}
        >
          {name}
        </Link>
        <span className={classes.kind}>{kind}</span>
      </div>
      <div className={classes.state}>
        <SourceState look={look} />
        {failing_since !== null && look === 'failing' && (
          <time className={classes.since} dateTime={failing_since} title={shop.exactTime(failing_since)}>
            {' '}
            since {shop.ago(failing_since, now).replace(/ ago$/, '')}
          </time>
        )}
        <p className={classes.text}>{progress ?? withLocalTimes(source.state_text, shop.locale, now)} </p>
      </div>
      <p className={classes.next}>
        <span className={classes.label}>Next run</span>
        <span title={next_run_at === null ? undefined : shop.exactTime(next_run_at)}>
          {nextRunOf(source, now)}
        </span>
      </p>
      <p className={classes.last}>
        <span className={classes.label}>Last result</span>
        <span>{lastResultOf(last_run, shop.number)}</span>
        {last_run_at !== null && (
          <time className={classes.time} dateTime={last_run_at} title={shop.exactTime(last_run_at)}>
            {shop.ago(last_run_at, now)}
          </time>
        )}
      </p>
      <div className={classes.bars}>
        <span className={classes.label} aria-hidden>
          New a day
        </span>
        <DayBars counts={source.new_per_day} number={shop.number} />
      </div>
      <div className={classes.actions}>
        <span className={spoken.unseen}>{name}:</span>
        <SourceActions source={source} {...actions} />
      </div>
    </li>
  )
}
