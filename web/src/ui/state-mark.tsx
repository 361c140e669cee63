import type { IconClock } from '@tabler/icons-react'
import classes from './state-mark.module.css'

type StateMarkProps = {
  tone: 'good' | 'calm' | 'warning' | 'danger' | 'quiet'
  Icon: typeof IconClock
  label: string
}

/** A state by sign, word and colour. */
export function StateMark({ tone, Icon, label }: StateMarkProps) {
  return (
    <span className={classes.mark} data-tone={tone}>
      <Icon size={16} stroke={2} aria-hidden />
      {label}
    </span>
  )
}
