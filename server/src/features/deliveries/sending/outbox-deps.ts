import type { Selectable } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Tables } from '../../../platform/database/tables.ts'
import type { AnyDestinationKind, KindDeps } from '../kinds/destination-kind.ts'
import type { DeliveryFigures } from './figures.ts'

/** When nothing is to be sent to a member or the group; undefined where nobody has said so. */
export type PeaceRow = Selectable<Tables['peace']> | undefined

/** What sending needs of the application; tests bring kinds of their own. */
export type OutboxDeps = KindDeps & {
  log: Logger
  kinds: readonly AnyDestinationKind[]
  /** What keeps a message from being sent now, and until when; null: nothing. */
  mayBeSent(peace: PeaceRow, now: Date, isUrgent: boolean): { until: Date; reason: string } | null
  /** Those of the deals that at least one of their alerts still finds. */
  stillMatches(
    client: pg.Pool | pg.ClientBase,
    deals: readonly { dealId: number; alertIds: readonly number[] }[],
  ): Promise<ReadonlySet<number>>
  figures: DeliveryFigures
  /** Called when messages about deals have been posted to a Discord channel of the group. */
  onGroupPost?: () => void
}
