import {
  IconAlertTriangle,
  IconCircleCheck,
  IconClock,
  IconHourglass,
  IconLock,
  IconPlayerPauseFilled,
  IconProgress,
  IconVolumeOff,
} from '@tabler/icons-react'
import { type Look, lookLabels, lookTones } from '../view.ts'
import classes from './source-state.module.css'

const icons: Record<Look, typeof IconClock> = {
  new: IconClock,
  running: IconProgress,
  ok: IconCircleCheck,
  waiting: IconHourglass,
  not_eligible: IconLock,
  failing: IconAlertTriangle,
  paused: IconPlayerPauseFilled,
  silent: IconVolumeOff,
}

/** A state by sign, word and colour. `label` where another word fits better. */
export function SourceState({ look, label = lookLabels[look] }: { look: Look; label?: string }) {
  const Icon = icons[look]
  return (
    <span className={classes.state} data-tone={lookTones[look]}>
      <Icon size={16} stroke={2} aria-hidden />
      {label}
    </span>
  )
}
