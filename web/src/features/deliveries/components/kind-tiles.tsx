import type { DestinationDescription, DestinationKind } from '@dealdeck/contract/deliveries'
import {
  IconApps,
  IconBellRinging,
  IconBrandDiscord,
  IconBrandTelegram,
  IconDeviceMobileMessage,
  IconMail,
  IconWebhook,
} from '@tabler/icons-react'
import classes from './kind-tiles.module.css'

const icons: Record<DestinationKind, typeof IconMail> = {
  discord: IconBrandDiscord,
  telegram: IconBrandTelegram,
  ntfy: IconBellRinging,
  email: IconMail,
  webhook: IconWebhook,
  webpush: IconDeviceMobileMessage,
  apprise: IconApps,
}

/** The sign of a kind of destinations. */
export function KindIcon({ kind, size }: { kind: DestinationKind; size: number }) {
  const Icon = icons[kind]
  return <Icon size={size} stroke={1.75} aria-hidden />
}

type KindTilesProps = {
  kinds: readonly DestinationDescription[]
  onChoose: (kind: DestinationKind) => void
}

/** The kinds of destinations to choose from, each with what it is good for; one that can't be used here says why. */
export function KindTiles({ kinds, onChoose }: KindTilesProps) {
  return (
    <ul className={classes.tiles} aria-label="Kinds of destinations">
      {usableFirst(kinds).map(({ kind, label, help, unavailable }) => (
        <li key={kind}>
          <button
            type="button"
            className={classes.tile}
            aria-disabled={unavailable !== null}
            onClick={() => unavailable === null && onChoose(kind)}
          >
            <KindIcon kind={kind} size={24} />
            <span className={classes.words}>
              <span className={classes.label}>{label}</span>
              <span className={classes.help}>
                {unavailable === null ? help : `Not set up here. ${unavailable}`}
              </span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const usableFirst = (kinds: readonly DestinationDescription[]) => [
  ...kinds.filter(({ unavailable }) => unavailable === null),
  ...kinds.filter(({ unavailable }) => unavailable !== null),
]
