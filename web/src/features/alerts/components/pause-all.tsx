import { Button } from '@mantine/core'
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react'
import classes from './pause-all.module.css'

type PauseAllProps = {
  /** Until when nothing is sent; null: it isn't paused. */
  until: string | null
  isBusy: boolean
  /** Why the last press did nothing. */
  problem: string | undefined
  now: number
  exactTime: (time: string) => string
  onPause: (until: string | null) => void
}

const dayMs = 24 * 60 * 60_000

/** Nothing for a day, or on with it. */
export function PauseAll({ until, isBusy, problem, now, exactTime, onPause }: PauseAllProps) {
  const isPaused = until !== null && Date.parse(until) > now
  const Icon = isPaused ? IconPlayerPlayFilled : IconPlayerPauseFilled
  return (
    <div className={classes.pause} data-paused={isPaused || undefined}>
      <p className={classes.text} role="status">
        {isPaused ? `Nothing is sent until ${exactTime(until)}, not even what is urgent.` : 'Need a break?'}{' '}
        {problem && <span className={classes.problem}>{problem}</span>}
      </p>
      <Button
        variant="default"
        className={classes.button}
        leftSection={<Icon size={16} aria-hidden />}
        loading={isBusy}
        onClick={() => onPause(isPaused ? null : new Date(Date.now() + dayMs).toISOString())}
      >
        {isPaused ? 'Resume' : 'Pause for a day'}
      </Button>
    </div>
  )
}
