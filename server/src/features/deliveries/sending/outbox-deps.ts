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
import { type InTurn, messageReads } from '../rendering/message-reads.ts'
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

/** What is read and written for several messages at once. */
type Batches = { reads: SendingReads; writes: SendingWrites }

/** What sending needs: with what it asks the database for the group's messages, and for members'. */
export type OutboxDeps = GivenDeps & { group: Batches; members: Batches }

/** Those of whose destination it is: nothing that a member sets up or waits for stands in the way of the group. */
export const batchesOf = (deps: OutboxDeps, { owner_id }: { owner_id: number | null }): Batches =>
  owner_id === null ? deps.group : deps.members

type SendingWrites = ReturnType<typeof sendingWrites>

/** What is written of each message on its way, with what is to be written of others at the same time. */
function sendingWrites({ databases, clock }: GivenDeps) {
  // Whoever waits for a row has a connection of the few that write.
  const inTurn = pLimit(1)
  return {
    takeDue: batched((claims: readonly Claim[]) => takeDue(databases, claims, clock())),
    takeLimits: batched((messages: readonly (readonly SendLimit[])[]) => takeLimits(databases, messages)),
    markSending: batched(
      skippingLocked(inTurn, (marks: readonly Mark[], lock) => markSending(databases, marks, lock)),
    ),
    store: batched(
      skippingLocked(inTurn, (storings: readonly Storing[], lock) =>
        storeAll(databases, storings, clock(), lock),
      ),
    ),
    noteSuccess: batched(
      skippingLocked(inTurn, (successes: readonly Success[], lock) =>
        noteSuccesses(databases, successes, lock),
      ),
    ),
    release: batched(
      skippingLocked(inTurn, (releases: readonly Release[], lock) => releaseAll(databases, releases, lock)),
    ),
  }
}

type SendingReads = ReturnType<typeof sendingReads>

const patienceMs = 20_000

/** A connection that was cut without a word keeps no others waiting: the database itself ends what takes so long. */
async function withinPatience<Value>(reading: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error('The database didn’t answer in 20 seconds')),
    patienceMs,
  )
  return Promise.race([reading, late.promise]).finally(() => clearTimeout(timer))
}

/** What is read for messages. One of these statements runs at a time: readers of the site wait for no more. */
function sendingReads({ stillMatches, ...given }: GivenDeps) {
  const line = pLimit(1)
  const inTurn: InTurn = (read) => line(() => withinPatience(read()))
  const { customPlanPool } = given.databases
  return {
    ...messageReads(given, inTurn),
    isStillFound: batched((deals: readonly FoundDeal[]) =>
      inTurn(() => stillMatches(customPlanPool, deals, given.clock)),
    ),
  }
}

export function withBatches(given: GivenDeps): OutboxDeps {
  const batches = () => ({ reads: sendingReads(given), writes: sendingWrites(given) })
  return { ...given, group: batches(), members: batches() }
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
