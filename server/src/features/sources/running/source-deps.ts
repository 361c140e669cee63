import type { Logger } from 'pino'
import type { Clock } from '../../../platform/clock.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { MemberGate } from '../../../platform/limits/member-gate.ts'
import { makeSafeFetch } from '../../../platform/outgoing/make-safe-fetch.ts'
import type { Settings } from '../../../platform/settings.ts'
import { kinds } from '../kinds/kinds.ts'
import type { AnySourceKind, RunContext } from '../kinds/source-kind.ts'
import { SourceFigures } from './figures.ts'
import { serviceBudgets } from './service-budget.ts'
import { serviceTokens } from './service-token.ts'

/** Seals texts so that the database alone doesn't give them away. */
type SecretBox = {
  seal(text: string, place: string): Promise<string>
  /** Throws where it was sealed with another key, or for another place. */
  open(sealed: string, place: string): Promise<string>
}

/** What sources need of the application; tests bring kinds of their own. */
export type SourceDeps = {
  databases: Databases
  clock: Clock
  log: Logger
  settings: Pick<Settings, 'MARKETPLACE' | 'PUBLIC_URL'>
  kinds: readonly AnySourceKind[]
  secrets: SecretBox
  figures: SourceFigures
  /** Gives the turns at importing: sources leave room for what people send. */
  imports: MemberGate
} & Pick<RunContext, 'ask' | 'budget' | 'token'>

type Application = Pick<SourceDeps, 'databases' | 'clock' | 'log' | 'settings'>

/** What sources need, in an application or a command, with every kind there is; `given` replaces some of it. */
export function sourceDeps(
  { databases, clock, log, settings }: Application,
  given: Partial<SourceDeps> = {},
): SourceDeps {
  const secrets = given.secrets ?? noBox
  const share = Math.max(1, databases.patientPool.options.max - 1)
  return {
    ...{ databases, clock, log, settings, kinds },
    figures: new SourceFigures(),
    imports: new MemberGate({ name: 'source imports', total: share, perMember: 1, queue: 100 }),
    budget: serviceBudgets(databases.durableDb),
    token: serviceTokens(databases.durableDb, secrets),
    ...{ secrets, ask: makeSafeFetch({ allow: [], publicUrl: settings.PUBLIC_URL }) },
    ...given,
  }
}

const missing = () => Promise.reject(new Error('not there yet'))
const noBox: SecretBox = { seal: missing, open: missing }
