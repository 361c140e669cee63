import pLimit from 'p-limit'
import type pg from 'pg'
import type { Logger } from 'pino'
import { batched, skippingLocked } from '../../../platform/batched.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { WaitsFor } from '../../../platform/database/alert-tables.ts'
import type { AppDeps } from '../../../platform/deps.ts'
import { makeSafeFetch } from '../../../platform/outgoing/make-safe-fetch.ts'
import type { AnyDestinationKind, KindDeps, SendLimit } from '../kinds/destination-kind.ts'
import { kinds } from '../kinds/kinds.ts'
import type { DeliveryChange } from '../live.ts'
import { messageReads } from '../rendering/message-reads.ts'
import { type PeaceRow, type Release, releaseAll } from './claims.ts'
import { DeliveryFigures } from './figures.ts'
import { takeLimits } from './limits.ts'
import { noteSuccesses, type Success } from './noting-success.ts'
import { type Storing, storeAll } from './storing.ts'
import { type Claim, type Mark, markSending, takeDue } from './taking.ts'

type FoundDeal = { dealId: number; alertIds: readonly number[] }

/** What sending is given by the application; tests bring kinds of their own. */
export type GivenDeps = KindDeps & {
  log: Logger
  kinds: readonly AnyDestinationKind[]
  /** What keeps a message from being sent now, and until when; null: nothing. */
  mayBeSent(
    peace: PeaceRow,
    now: Date,
    isUrgent: boolean,
  ): { until: Date; waitsFor: WaitsFor; reason: string } | null
  /** Which of the deals at least one of their alerts still finds. */
  stillMatches(client: pg.Pool, deals: readonly FoundDeal[], clock: Clock): Promise<readonly boolean[]>
  figures: DeliveryFigures
  /** Tells open pages, a moment later. Never throws. */
  tell(change: DeliveryChange): void
  /** Called when messages about deals have been posted to a Discord channel of the group. */
  onGroupPost?: () => void
}

/** What sending needs: with what it asks the database for several messages at once. */
export type OutboxDeps = GivenDeps & {
  writes: SendingWrites
  reads: { group: SendingReads; members: SendingReads }
}

type SendingWrites = ReturnType<typeof sendingWrites>

/** What is written of each message on its way, with what is to be written of others at the same time. */
function sendingWrites({ databases, clock }: GivenDeps) {
  return {
    takeDue: batched((claims: readonly Claim[]) => takeDue(databases, claims, clock())),
    takeLimits: batched((messages: readonly (readonly SendLimit[])[]) => takeLimits(databases, messages)),
    markSending: batched(
      skippingLocked((marks: readonly Mark[], lock) => markSending(databases, marks, lock)),
    ),
    store: batched(
      skippingLocked((storings: readonly Storing[], lock) => storeAll(databases, storings, clock(), lock)),
    ),
    noteSuccess: batched(
      skippingLocked((successes: readonly Success[], lock) => noteSuccesses(databases, successes, lock)),
    ),
    release: batched(
      skippingLocked((releases: readonly Release[], lock) => releaseAll(databases, releases, lock)),
    ),
  }
}

type SendingReads = ReturnType<typeof sendingReads>

/** What is read for messages. One of these statements runs at a time: readers of the site wait for no more. */
function sendingReads({ stillMatches, ...given }: GivenDeps) {
  const inTurn = pLimit(1)
  const { customPlanPool } = given.databases
  return {
    ...messageReads(given, inTurn),
    isStillFound: batched((deals: readonly FoundDeal[]) =>
      inTurn(() => stillMatches(customPlanPool, deals, given.clock)),
    ),
  }
}

/** Members have a line of their own: their long lists keep no message of the group waiting. */
export function withBatches(given: GivenDeps): OutboxDeps {
  return {
    ...given,
    writes: sendingWrites(given),
    reads: { group: sendingReads(given), members: sendingReads(given) },
  }
}

/** What the application knows of alerts, whose feature knows of deliveries: handed over, so that neither imports the other in a circle. */
type Alerts = Pick<GivenDeps, 'mayBeSent' | 'stillMatches' | 'tell'>

/** What sending needs, in an application, with every kind there is; `given` replaces some of it. */
export function outboxDeps(
  { databases, clock, log, settings, secretBox }: AppDeps,
  given: Alerts & Partial<GivenDeps>,
): OutboxDeps {
  return withBatches({
    ...{ databases, clock, log, settings, secretBox, kinds, figures: new DeliveryFigures() },
    fetch: makeSafeFetch({ allow: settings.FETCH_ALLOW, publicUrl: settings.PUBLIC_URL }),
    ...given,
  })
}
