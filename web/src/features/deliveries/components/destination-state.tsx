import type { DeliveryState, Destination, DestinationState as State } from '@dealdeck/contract/deliveries'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconHourglass,
  IconLinkOff,
  IconMinus,
  IconPencilCheck,
  IconPlayerPauseFilled,
  IconProgress,
} from '@tabler/icons-react'
import { StateMark } from '../../../ui/state-mark.tsx'
import { deliveryLabels, deliveryTones, isUntried, stateLabels, stateTones } from '../view.ts'

const icons: Record<State, typeof IconClock> = {
  ok: IconCircleCheck,
  unconfirmed: IconHourglass,
  failing: IconAlertTriangle,
  gone: IconLinkOff,
  paused: IconPlayerPauseFilled,
}

/** How a destination is. */
export function DestinationState({ destination }: { destination: Destination }) {
  const { state } = destination
  if (isUntried(destination)) return <StateMark tone="quiet" Icon={IconCircleDashed} label="Not tried yet" />
  return <StateMark tone={stateTones[state]} Icon={icons[state]} label={stateLabels[state]} />
}

const deliveryIcons: Record<DeliveryState, typeof IconClock> = {
  held: IconHourglass,
  queued: IconClock,
  sending: IconProgress,
  sent: IconCircleCheck,
  edited: IconPencilCheck,
  skipped: IconMinus,
  dead: IconCircleX,
}

/** What has become of a message. */
export function DeliveryMark({ state }: { state: DeliveryState }) {
  return <StateMark tone={deliveryTones[state]} Icon={deliveryIcons[state]} label={deliveryLabels[state]} />
}
