import type { Why } from '@dealdeck/contract/alerts'
import type { DealFacts } from '@dealdeck/query/facts'
import { AppError } from '../../../platform/errors.ts'
import { money } from '../../../platform/money.ts'
import { readFacts } from '../../deals/following/facts.ts'
import { startOfDay } from '../../deals/rules.ts'
import { openCondition } from '../../searches/rules.ts'
import type { AlertDeps } from '../keeping/alert-deps.ts'
import { type AlertRow, alertGone, alertsAbout, type Viewer } from '../keeping/alert-rows.ts'
import { failedParts, notShown } from '../rules.ts'
import { readQuestion } from './asked-search.ts'
import { readFates, sayFate } from './fates.ts'

type Asked = { search?: number | undefined; alert?: number | undefined; deal: number; time_zone: string }

/** A deal that merely ended: what was sent of it is still told of, unlike that of a hidden one. */
const isEnded = 'not is_visible and hidden_at is null and not is_blacklisted'
/** What is said of it. */
const over = 'not over (it ended, or is out of stock)'

/** What is said of a question that asks for hidden deals. */
const asksForHidden = 'asks for hidden deals, of which nothing is ever sent'

/**
 * Whether a deal matches a search or target price now, which parts it doesn't meet, and what became of it at each destination of the viewer's. Of
 * a deal that members don't see, nothing but that. Throws NOT_FOUND for what isn't the viewer's, and INVALID_INPUT.
 */
export async function explainDeal(deps: AlertDeps, viewer: Viewer, asked: Asked): Promise<Why> {
  const { databases, settings, clock } = deps
  const pool = databases.customPlanPool
  const say = (amount: number) => money(amount, settings.MARKETPLACE)
  const { alerts, failedOf } = await readAsked(deps, viewer, asked, say)
  const shown = (await readFacts(pool, [asked.deal])).get(asked.deal)
  const facts = shown ?? (await readFacts(pool, [asked.deal], isEnded)).get(asked.deal)
  if (!facts) return { matches: false, failed: [notShown], deliveries: [], delivery: null }
  const failed = [...(shown ? [] : [over]), ...failedOf(facts)]
  const matches = failed.length === 0
  const fates = await readFates(pool, alerts, asked.deal)
  const moment = { matches, price: facts.price, now: clock(), timeZone: asked.time_zone, say }
  const deliveries = fates.map((fate) => sayFate(fate, moment))
  const { state, reason, at, next_at } = deliveries[0] ?? {}
  const delivery =
    state === undefined || reason === undefined
      ? null
      : { state, reason, at: at ?? null, next_at: next_at ?? null }
  return { matches, failed, deliveries, delivery }
}

type AskedAlerts = { alerts: AlertRow[]; failedOf(facts: DealFacts): string[] }

async function readAsked(
  { databases, clock }: AlertDeps,
  viewer: Viewer,
  { search, alert, time_zone }: Asked,
  say: (amount: number) => string,
): Promise<AskedAlerts> {
  const pool = databases.customPlanPool
  if (search === undefined && alert === undefined) {
    const message = 'must be given, or alert'
    throw new AppError('INVALID_INPUT', `search ${message}`, { fields: { search: message } })
  }
  const alerts = await alertsAbout(pool, viewer, alert === undefined ? { search: search ?? 0 } : { alert })
  const [row] = alerts
  if (alert !== undefined && !row) throw alertGone()
  const target = alert === undefined ? null : (row?.target_price ?? null)
  if (target !== null)
    return {
      alerts,
      failedOf: ({ price }) => (price <= target ? [] : [`${say(target)} or less (it costs ${say(price)})`]),
    }
  const condition = openCondition(await readQuestion(pool, viewer, search ?? row?.search_id ?? 0))
  const now = clock()
  const moment = { now: now.getTime(), midnight: startOfDay(now, time_zone).getTime() }
  return {
    alerts,
    failedOf: (facts) =>
      condition === undefined ? [asksForHidden] : failedParts(condition, facts, moment, say),
  }
}
