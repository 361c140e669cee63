import type { DestinationTest } from '@dealdeck/contract/deliveries'
import { combine } from '@dealdeck/query/question'
import type { Database } from '../../../platform/database/database.ts'
import { startOfDay } from '../../deals/rules.ts'
import { openCondition } from '../../searches/rules.ts'
import { publishDeliveries } from '../live.ts'
import { type DestinationRow, readOwnRow, type Viewer } from '../queries.ts'
import type { DestinationDeps } from './destination-deps.ts'
import { takePaced } from './pacing.ts'

/** So long somebody waits for what the service says, in milliseconds. */
const testMs = 30_000
/** Of so many of a destination's questions the newest deal is looked for. */
const mostQuestions = 10

const nothingSent = (text: string): DestinationTest => ({ is_sent: false, text, delivery_id: null })

/**
 * Sends the newest deal that one of a destination's alerts finds, or else the newest of all, the way all are sent, and says what became
 * of it within half a minute. Throws NOT_FOUND and TOO_MANY_REQUESTS.
 */
export async function testDestination(
  deps: DestinationDeps,
  member: Viewer,
  id: number,
): Promise<DestinationTest> {
  const { db, durableDb } = deps.databases
  const row = await readOwnRow(db, member, id)
  if (row.state === 'unconfirmed') return nothingSent('Nothing can be sent there before it is confirmed.')
  await takePaced(durableDb, 'test', member.id)
  const signal = AbortSignal.timeout(testMs)
  const dealId = await findDeal(deps, db, row, signal)
  if (dealId === undefined) return nothingSent('There is no deal yet that could be sent.')
  const deliveryId = await durableDb.transaction().execute(async (transaction) => {
    const added = await transaction
      .insertInto('deliveries')
      // Due, so that it is sent by whoever sends, should this process end or its service want a pause.
      .values({ destination_id: id, kind: 'test', state: 'queued', next_at: deps.clock() })
      .returning('id')
      .executeTakeFirstOrThrow()
    await transaction
      .insertInto('delivery_deals')
      .values({ delivery_id: added.id, deal_id: dealId })
      .execute()
    await publishDeliveries(transaction, { ownerId: row.owner_id, changed: 'log', destinationId: id })
    return added.id
  })
  try {
    await deps.send(deliveryId, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return readOutcome(db, deliveryId, signal)
}

async function readOutcome(
  db: Database,
  id: number,
  { aborted: isLate }: AbortSignal,
): Promise<DestinationTest> {
  const sent = await db
    .selectFrom('deliveries')
    .select(['state', 'reason', 'answer', 'status'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!sent) return nothingSent('The destination was removed meanwhile.')
  const { state, reason, answer, status } = sent
  if (state === 'sent' || state === 'edited') {
    const said = [status === null ? '' : `It answered ${status}`, answer ?? ''].filter((text) => text !== '')
    const text = reason || (said.length === 0 ? 'It was sent.' : `It was sent. ${said.join(': ')}`)
    return { is_sent: true, text, delivery_id: id }
  }
  const yet = isLate ? 'After half a minute it is still under way.' : 'It is still to be sent.'
  const text = reason || `${yet} The log says what becomes of it.`
  return { is_sent: false, text, delivery_id: id }
}

async function findDeal(
  deps: DestinationDeps,
  db: Database,
  { id, owner_id }: DestinationRow,
  signal: AbortSignal,
): Promise<number | undefined> {
  const now = deps.clock()
  const moment = { now: now.getTime(), midnight: startOfDay(now, 'UTC').getTime() }
  const newest = async (condition: Parameters<DestinationDeps['ask']>[0]['condition']) =>
    (await deps.ask({ condition, moment, sort: 'newest', limit: 1, signal }))[0]?.id
  // What a search asks for that isn't the owner's or shared any more is nobody else's business.
  const searches = await db
    .selectFrom('alerts as a')
    .innerJoin('saved_searches as s', 's.id', 'a.search_id')
    .select('s.question')
    .where('a.destination_id', '=', id)
    .where('a.is_paused', '=', false)
    .where('s.deleted_at', 'is', null)
    .where(({ eb, or }) => or([eb('s.is_shared', '=', true), eb('s.owner_id', '=', owner_id ?? 0)]))
    .orderBy('a.id', 'desc')
    .limit(mostQuestions)
    .execute()
  const conditions = searches.flatMap(({ question }) => {
    const condition = openCondition(question)
    return condition === undefined ? [] : [condition]
  })
  // A question without a condition finds all, as asking for none does.
  const asked = conditions.flatMap((condition) => condition ?? [])
  const isNarrow = asked.length > 0 && asked.length === conditions.length
  return (isNarrow ? await newest(combine('any', asked)) : undefined) ?? (await newest(null))
}
