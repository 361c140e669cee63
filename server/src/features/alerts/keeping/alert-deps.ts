import type { Clock } from '../../../platform/clock.ts'
import type { Databases } from '../../../platform/database/database.ts'
import type { Settings } from '../../../platform/settings.ts'
import type { AskDeals, CountDeals } from '../../deals/searching/answers.ts'

/** What alerts need of the application. */
export type AlertDeps = {
  databases: Databases
  clock: Clock
  settings: Pick<Settings, 'MARKETPLACE'>
  ask: AskDeals
  count: CountDeals
}
