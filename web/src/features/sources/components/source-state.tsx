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
import { StateMark } from '../../../ui/state-mark.tsx'
import { type Look, lookLabels, lookTones } from '../view.ts'

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
  return <StateMark tone={lookTones[look]} Icon={icons[look]} label={label} />
}
