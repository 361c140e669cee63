import type { Selectable } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Clock } from '../../../platform/clock.ts'
import type { WaitsFor } from '../../../platform/database/alert-tables.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import type { AppDeps } from '../../../platform/deps.ts'
import { makeSafeFetch } from '../../../platform/outgoing/make-safe-fetch.ts'
import type { AnyDestinationKind, KindDeps } from '../kinds/destination-kind.ts'
import { kinds } from '../kinds/kinds.ts'
import type { DeliveryChange } from '../live.ts'
import { DeliveryFigures } from './figures.ts'

/** When nothing is to be sent to a member or the group; undefined where nobody has said so. */
export type PeaceRow = Selectable<Tables['peace']> | undefined

/** What sending needs of the application; tests bring kinds of their own. */
export type OutboxDeps = KindDeps & {
  log: Logger
  kinds: readonly AnyDestinationKind[]
  /** What keeps a message from being sent now, and until when; null: nothing. */
  mayBeSent(
    peace: PeaceRow,
    now: Date,
    isUrgent: boolean,
  ): { until: Date; waitsFor: WaitsFor; reason: string } | null
  /** Those of the deals that at least one of their alerts still finds. */
  stillMatches(
    client: pg.Pool | pg.ClientBase,
    deals: readonly { dealId: number; alertIds: readonly number[] }[],
    clock: Clock,
  ): Promise<ReadonlySet<number>>
  figures: DeliveryFigures
  /** Tells open pages, a moment later. Never throws. */
  tell(change: DeliveryChange): void
  /** Called when messages about deals have been posted to a Discord channel of the group. */
  onGroupPost?: () => void
}

/** What the application knows of alerts, whose feature knows of deliveries: handed over, so that neither imports the other in a circle. */
type Alerts = Pick<OutboxDeps, 'mayBeSent' | 'stillMatches' | 'tell'>

/** What sending needs, in an application, with every kind there is; `given` replaces some of it. */
export function outboxDeps(
  { databases, clock, log, settings, secretBox }: AppDeps,
  given: Alerts & Partial<OutboxDeps>,
): OutboxDeps {
  return {
    ...{ databases, clock, log, settings, secretBox, kinds, figures: new DeliveryFigures() },
    fetch: makeSafeFetch({ allow: settings.FETCH_ALLOW, publicUrl: settings.PUBLIC_URL }),
    ...given,
  }
}
