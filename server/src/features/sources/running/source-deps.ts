import type { Logger } from 'pino'
import type { Clock } from '../../../platform/clock.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { MemberGate } from '../../../platform/limits/member-gate.ts'
import { HostTurns } from '../../../platform/outgoing/host-turns.ts'
import { makeSafeFetch } from '../../../platform/outgoing/make-safe-fetch.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Settings } from '../../../platform/settings.ts'
import { kinds } from '../kinds/kinds.ts'
import type { AnySourceKind, RunContext } from '../kinds/source-kind.ts'
import { askInTurn } from './asking.ts'
import { SourceFigures } from './figures.ts'
import { type ServiceBudgets, serviceBudgets } from './service-budget.ts'
import { serviceTokens } from './service-token.ts'

/** What sources need of the application; tests bring kinds of their own. */
export type SourceDeps = {
  databases: Databases
  clock: Clock
  log: Logger
  settings: Pick<Settings, 'MARKETPLACE' | 'PUBLIC_URL' | 'FETCH_ALLOW'>
  kinds: readonly AnySourceKind[]
  /** Seals texts for a place, so that the database alone doesn't give them away. */
  secrets: Pick<SecretBox, 'seal' | 'open'>
  figures: SourceFigures
  /** Gives the turns at importing: sources leave room for what people send. */
  imports: MemberGate
  budget: ServiceBudgets
} & Pick<RunContext, 'ask' | 'token'>

type Application = Pick<SourceDeps, 'databases' | 'clock' | 'log' | 'settings'> & { secretBox: SecretBox }

/** What sources need, in an application or a command, with every kind there is; `given` replaces some of it. */
export function sourceDeps(
  { databases, clock, log, settings, secretBox }: Application,
  given: Partial<SourceDeps> = {},
): SourceDeps {
  const safeFetch = makeSafeFetch({ allow: settings.FETCH_ALLOW, publicUrl: settings.PUBLIC_URL })
  const turns = new HostTurns(databases.reservedPool)
  const share = Math.max(1, databases.patientPool.options.max - 1)
  return {
    ...{ databases, clock, log, settings, kinds },
    figures: new SourceFigures(),
    imports: new MemberGate({ name: 'source imports', total: share, perMember: 1, queue: 100 }),
    budget: serviceBudgets(databases.durableDb),
    token: serviceTokens(databases.durableDb, secretBox, turns),
    secrets: secretBox,
    ask: askInTurn(safeFetch, turns, clock),
    ...given,
  }
}
