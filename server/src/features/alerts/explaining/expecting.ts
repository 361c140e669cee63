import type { AlertExpectation } from '@dealdeck/contract/alerts'
import { startOfDay } from '../../deals/rules.ts'
import type { AlertDeps } from '../keeping/alert-deps.ts'
import type { Viewer } from '../keeping/alert-rows.ts'
import { expectedPerDay } from '../matching/expecting.ts'
import { askedCondition } from './asked-search.ts'

type Asked = { q?: string | undefined; search?: number | undefined; time_zone: string }

/** How many deals an alert of a question would find now, and a day. Throws as `askedCondition` does. */
export async function expectMatches(
  { databases, clock, count }: AlertDeps,
  viewer: Viewer,
  { time_zone, ...asked }: Asked,
  signal: AbortSignal,
): Promise<AlertExpectation> {
  const condition = await askedCondition(databases.customPlanPool, viewer, asked)
  const now = clock()
  const moment = { now: now.getTime(), midnight: startOfDay(now, time_zone).getTime() }
  const { count: matching, has_more } = await count({ condition, moment, signal })
  const { perDay, days } = await expectedPerDay(databases, condition, { now, zone: time_zone })
  return { matching, has_more, per_day: perDay, days }
}
