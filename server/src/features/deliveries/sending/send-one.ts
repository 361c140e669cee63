import { z } from 'zod'
import { SecretError, secretPlaces } from '../../../platform/secret-box.ts'
import type { BoundDestination, SendOutcome, Target } from '../kinds/destination-kind.ts'
import type { ToldDeal } from '../rendering/message-reads.ts'
import { type Rendered, readSaid, renderDelivery } from '../rendering/messages.ts'
import { inPieces } from '../rendering/pieces.ts'
import type { Claimed } from './claims.ts'
import { holdDeals } from './holding.ts'
import { blockKeys } from './limits.ts'
import { batchesOf, type OutboxDeps } from './outbox-deps.ts'
import { mostDoubts } from './retry-plan.ts'
import { type After, bury, goOn, over, settle, skip, storeDelivery } from './settling.ts'
import type { Due } from './taking.ts'
import { storeToldPrices } from './told-prices.ts'

/** So long one message may take, in milliseconds. */
const longestSendMs = 60_000

const secretsSchema = z.record(z.string(), z.string())

/** The destination as its kind sees it. */
type Bound = { target: Omit<Target<never>, 'settings'>; bound: BoundDestination }

/** What is about to be sent, and how. */
type Ready = { read: Bound; made: Made; isEdit: boolean; canEdit: boolean }

/** A message and its deals. */
type Made = Rendered & { told: readonly ToldDeal[] }

/**
 * Sends one message that is due, or changes it, or leaves it out: what is said is what is true now. Throws what the database
 * says, and the signal's reason; a first post that was under way then may have arrived.
 */
export async function sendOne(
  deps: OutboxDeps,
  target: Claimed,
  due: Due,
  signal: AbortSignal,
): Promise<After> {
  try {
    return await attempt(deps, target, due, signal)
  } finally {
    // Behind all that was written down of it: told before, pages would read what was there until then.
    deps.tell({ ownerId: target.owner_id, changed: 'log', destinationId: target.id })
  }
}

async function attempt(deps: OutboxDeps, target: Claimed, due: Due, signal: AbortSignal): Promise<After> {
  const ready = await makeReady(deps, target, due, signal)
  if ('isOver' in ready) return ready
  const { read, made, isEdit, canEdit } = ready
  const outcome = await send(deps, read, due, made, { timeZone: target.peace?.time_zone ?? 'UTC', signal })
  // At once: until it is written down, a process that ends here would send it a second time.
  await blockKeys(deps.databases, outcome.limits ?? []).catch((err) =>
    deps.log.warn({ err, destination: target.id }, 'What a service said of its limits was not written down'),
  )
  const isPost = outcome.result === 'sent' && !isEdit
  // Before it counts as sent, so that no fall is measured from what it was written down for.
  if (isPost)
    await storeToldPrices(deps.databases, due.id, made).catch((err) =>
      deps.log.warn({ err, delivery: due.id }, 'The prices that a message told of were not written down'),
    )
  const after = await settle(deps, target, due, outcome, { content: made.content, canEdit })
  if (isPost && target.kind === 'discord' && target.owner_id === null && made.told.length > 0)
    deps.onGroupPost?.()
  return after
}

/** Makes a message that is due, as the last step saying that it is about to be sent; or what follows where nothing is to be sent now. */
async function makeReady(
  deps: OutboxDeps,
  target: Claimed,
  due: Due,
  signal: AbortSignal,
): Promise<Ready | After> {
  signal.throwIfAborted()
  const isEdit = due.state !== 'queued'
  if (due.doubts >= mostDoubts) {
    const reason = 'Its process ended twice while it was sent: it may be there twice, so it isn’t sent again.'
    return bury(deps, target, due, reason, { attempts: due.attempts })
  }
  const kept = await withhold(deps, target, due)
  if (kept) return kept
  if (!isEdit && due.doubts > 0)
    deps.log.warn(
      { delivery: due.id, destination: target.id },
      'A message is sent once more: nobody knows whether it arrived',
    )
  const read = await bind(deps, target)
  if ('result' in read) return settle(deps, target, due, read, { content: due.content, canEdit: false })
  const { bound } = read
  const canEdit = bound.edit !== undefined
  if (isEdit && (!canEdit || due.message_id === null)) {
    const reason = 'The deal has changed since; what was sent there can’t be changed.'
    await storeDelivery(deps, target, due, {
      reason,
      next_at: null,
      sent_version: due.wanted_version,
      message_id: null,
    })
    return goOn
  }
  const made = await render(deps, target, due, signal)
  if (typeof made === 'string') return skip(deps, target, due, made)
  if (isEdit && made.content.said === due.content.said) {
    await storeDelivery(deps, target, due, { reason: '', next_at: null, sent_version: due.wanted_version })
    return goOn
  }
  const waitMs = await batchesOf(deps, target).writes.takeLimits(bound.limits(read.target, deps))
  if (waitMs > 0) {
    const resumeAt = new Date(deps.clock().getTime() + waitMs)
    await storeDelivery(deps, target, due, {
      reason: 'Waits, as no more may be sent there at the moment.',
      next_at: resumeAt,
    })
    return { resumeAt, isOver: false }
  }
  // Not said to be on its way where it isn't sent any more.
  signal.throwIfAborted()
  const dealIds = made.told.map(({ deal_id }) => deal_id)
  // A deal that was hidden while it was read is read once more, and so are a member who was deactivated and another address.
  if (!(await batchesOf(deps, target).writes.markSending({ target, due, dealIds: isEdit ? [] : dealIds })))
    return over
  return { read, made, isEdit, canEdit }
}

/** Puts a message aside that peace doesn't let be sent now: deals onto the list of that time, and all else until then. */
async function withhold(deps: OutboxDeps, target: Claimed, due: Due): Promise<After | null> {
  // A change makes no sound, and a test is asked for.
  if (due.state !== 'queued' || due.kind === 'test') return null
  const refusal = deps.mayBeSent(target.peace, deps.clock(), due.is_urgent)
  if (!refusal) return null
  const { until, waitsFor, reason } = refusal
  // Of what may have arrived already its own row has to say so.
  if ((due.kind !== 'deal' && due.kind !== 'list') || due.doubts > 0) {
    await storeDelivery(deps, target, due, { reason, waits_for: waitsFor, next_at: until })
    return goOn
  }
  const client = await deps.databases.durablePool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const told = await client.query<{
      deal_id: number
      episode_id: number
      alert_ids: number[]
      price: number | null
    }>('select deal_id, episode_id, alert_ids, price from delivery_deals where delivery_id = $1', [due.id])
    const { rowCount } = await client.query(
      `update deliveries set state = 'skipped', reason = $3, next_at = null, claim = null, updated_at = $4
       where id = $1 and claim = $2`,
      [due.id, due.claim, `Part of a list that is sent later. ${reason}`, deps.clock()],
    )
    if (rowCount === 1)
      await holdDeals(
        client,
        told.rows.map(({ deal_id, episode_id, alert_ids, price }) => ({
          ...{ destinationId: target.id, dealId: deal_id, episodeId: episode_id, alertIds: alert_ids, price },
          hold: { kind: 'list', until, collectedFor: waitsFor, reason },
        })),
      )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch((failure) => {
      broken = failure
    })
    throw error
  } finally {
    client.release(broken)
  }
  return goOn
}

const kindOf = (deps: OutboxDeps, target: Claimed) => deps.kinds.find(({ kind }) => kind === target.kind)

/** Reads settings and secrets; an outcome where they can't be. */
async function bind(deps: OutboxDeps, target: Claimed): Promise<Bound | SendOutcome> {
  const kind = kindOf(deps, target)
  const missing = kind === undefined ? 'This kind of destination is not known here.' : kind.unavailable(deps)
  if (kind === undefined || missing !== null) return { result: 'failed', text: missing ?? '' }
  try {
    const place = secretPlaces.destination(target.id)
    const opened = target.secrets === null ? '{}' : await deps.secretBox.open(target.secrets, place)
    const secrets = secretsSchema.parse(JSON.parse(opened))
    const bound = kind.bind(target.settings)
    return { bound, target: { id: target.id, secrets, isGroup: target.owner_id === null } }
  } catch (error) {
    if (error instanceof SecretError) return { result: 'failed', text: error.message }
    return { result: 'failed', text: 'Its settings can’t be read. Please set it up again.' }
  }
}

/** What is to be sent; why nothing is to be, in words. */
async function render(
  deps: OutboxDeps,
  target: Claimed,
  due: Due,
  signal: AbortSignal,
): Promise<Made | string> {
  const { reads } = batchesOf(deps, target)
  const rendering = { settings: deps.settings, reads, mostDeals: kindOf(deps, target)?.mostDeals }
  const told = await reads.toldDeals(due.id)
  const said = await readSaid(rendering, target, told)
  signal.throwIfAborted()
  const isEdit = due.state !== 'queued'
  for (const { deal_id, is_over } of told) {
    const one = said.get(deal_id)
    // Of a deal that is back another message tells; what is sent again on request has no episode of its own.
    if ((isEdit || due.episode_id !== null) && is_over && one?.state === 'live')
      said.set(deal_id, { ...one, state: 'ended' })
  }
  const isSingle = due.kind === 'deal' || due.kind === 'test'
  let left: ToldDeal[] = told
  if (!isEdit && due.kind !== 'notice') {
    const shown = told.filter(({ deal_id }) => said.get(deal_id)?.state === 'live')
    if (shown.length === 0)
      return whyNone(
        isSingle,
        told.map(({ deal_id }) => said.get(deal_id)?.state),
      )
    left = due.kind === 'test' ? shown : await stillFound(reads, shown)
    if (left.length === 0) return whyNotFound(reads, isSingle, shown)
    if (left.length < told.length) await leaveOut(deps, due, left)
  }
  const rendered = await renderDelivery(rendering, target, due, left, said)
  return { ...rendered, told: left }
}

async function stillFound(
  reads: OutboxDeps['group']['reads'],
  told: readonly ToldDeal[],
): Promise<ToldDeal[]> {
  const isFound = await inPieces(told, ({ deal_id, alert_ids }) =>
    reads.isStillFound({ dealId: deal_id, alertIds: alert_ids }),
  )
  return told.filter((_, at) => isFound[at])
}

const stoppedTexts = {
  removed: 'Its alert was removed.',
  paused: 'Its alert is paused.',
  deleted: 'Its search was deleted.',
  unshared: 'Its search isn’t shared any more.',
}

async function whyNotFound(
  reads: OutboxDeps['group']['reads'],
  isSingle: boolean,
  told: readonly ToldDeal[],
): Promise<string> {
  const alertIds = [...new Set(told.flatMap(({ alert_ids }) => alert_ids))]
  const stopped = await inPieces(alertIds, async (id) => {
    const search = await reads.search(id)
    return search ? search.stopped : 'removed'
  })
  const [first = null] = stopped
  if (first === null || stopped.includes(null))
    return isSingle ? 'It no longer matches.' : 'None of its deals matches any more.'
  return stopped.length === 1 ? stoppedTexts[first] : 'Its alerts were paused or removed.'
}

function whyNone(isSingle: boolean, states: readonly (string | undefined)[]): string {
  if (states.length === 0) return 'Each of its deals was told of alone meanwhile.'
  if (!isSingle) return 'None of its deals is shown any more.'
  return states.includes('ended') ? 'The deal ended before it was sent.' : 'The deal isn’t shown any more.'
}

/** What a list leaves out isn't one of its deals any more. */
async function leaveOut({ databases }: OutboxDeps, due: Due, left: readonly ToldDeal[]): Promise<void> {
  await databases.durablePool.query(
    'delete from delivery_deals where delivery_id = $1 and deal_id <> all($2)',
    [due.id, left.map(({ deal_id }) => deal_id)],
  )
}

async function send(
  deps: OutboxDeps,
  { bound, target }: Bound,
  due: Due,
  { message }: Rendered,
  context: { timeZone: string; signal: AbortSignal },
): Promise<SendOutcome> {
  const late = AbortSignal.timeout(longestSendMs)
  const signal = AbortSignal.any([context.signal, late])
  try {
    return due.state !== 'queued' && bound.edit && due.message_id !== null
      ? await bound.edit(target, due.message_id, message, deps, { ...context, signal })
      : await bound.send(target, message, deps, { ...context, signal })
  } catch (error) {
    context.signal.throwIfAborted()
    if (late.aborted) return { result: 'unknown', text: 'There was no answer within a minute.' }
    deps.log.error({ err: error, delivery: due.id }, 'A kind of destinations failed of itself')
    return { result: 'unknown', text: 'Something went wrong here while it was sent; the log has more.' }
  }
}
