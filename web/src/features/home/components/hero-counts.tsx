import type { Uptime } from '@dealdeck/contract/home'
import type { Marketplace } from '../../../platform/money.ts'
import { periodWords, type StreamState, streamWords } from '../view.ts'
import classes from './hero-counts.module.css'

type HeroCountsProps = {
  dealsTracked: number | undefined
  /** Null before the first measurement, undefined while unknown. */
  uptime: Uptime | null | undefined
  stream: StreamState
  shop: Marketplace
}

/** What is measured, never made up; a dash stands for what isn't known. Its size doesn't depend on what it says. */
export function HeroCounts({ dealsTracked, uptime, stream, shop }: HeroCountsProps) {
  const { label, hint } = streamWords[stream]
  const figures = [
    {
      name: 'deals tracked',
      value: dealsTracked === undefined ? '–' : shop.number(dealsTracked),
      note: 'right now',
    },
    {
      name: 'uptime',
      value: !uptime ? '–' : `${shop.number(uptime.percentage)}%`,
      note: uptime ? periodWords(uptime) : uptime === null ? 'not measured yet' : 'not known now',
    },
    { name: 'real-time updates', value: label, note: hint, state: stream },
  ]
  return (
    <dl className={classes.figures}>
      {figures.map(({ name, value, note, state }) => (
        <div key={name} className={classes.figure}>
          <dt className={classes.name}>{name}</dt>
          <dd className={classes.value} data-state={state}>
            {value}
          </dd>
          <dd className={classes.note}>{note}</dd>
        </div>
      ))}
    </dl>
  )
}
