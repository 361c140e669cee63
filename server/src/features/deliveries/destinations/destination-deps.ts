import type { Logger } from 'pino'
import type { AppDeps } from '../../../platform/deps.ts'
import { makeSafeFetch } from '../../../platform/outgoing/make-safe-fetch.ts'
import type { AskDeals } from '../../deals/searching/answers.ts'
import type { AnyDestinationKind, KindDeps } from '../kinds/destination-kind.ts'
import { kinds } from '../kinds/kinds.ts'

/** What destinations need of the application; tests bring kinds of their own. */
export type DestinationDeps = KindDeps & {
  log: Logger
  kinds: readonly AnyDestinationKind[]
  ask: AskDeals
  /** Sends one delivery now, the way all are sent. */
  send(deliveryId: number, signal: AbortSignal): Promise<void>
}

/** What destinations need, in an application, with every kind there is; `given` replaces some of it. */
export function destinationDeps(
  { databases, clock, log, settings, secretBox, ask, send }: AppDeps & Pick<DestinationDeps, 'ask' | 'send'>,
  given: Partial<DestinationDeps> = {},
): DestinationDeps {
  return {
    ...{ databases, clock, log, settings, secretBox, ask, send, kinds },
    fetch: makeSafeFetch({ allow: settings.FETCH_ALLOW, publicUrl: settings.PUBLIC_URL }),
    ...given,
  }
}
