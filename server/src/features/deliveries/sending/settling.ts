import { setTimeout as sleep } from 'node:timers/promises'
import type { SendOutcome } from '../kinds/destination-kind.ts'
import type { DeliveryContent } from '../rendering/content.ts'
import { hasChanged } from './as-claimed.ts'
import type { Claimed } from './claims.ts'
import { endDestination, moveDestination, noteFailure, noteSuccess } from './destination-states.ts'
import { noticeOwner } from './notices.ts'
import { batchesOf, type OutboxDeps } from './outbox-deps.ts'
import { destinationPause, longestFailingMs, longestWaitMs, mostDoubts, pauseAfter } from './retry-plan.ts'
import type { Change } from './storing.ts'
import type { Due } from './taking.ts'

/** What follows for the destination: nothing before a time, nothing at all any more, or the next message. */
export type After = { resumeAt: Date | null; isOver: boolean }
export const goOn: After = { resumeAt: null, isOver: false }
/** Nothing more by this claim: who takes the destination anew sees what it is now. */
export const over: After = { resumeAt: null, isOver: true }

/** Pauses before an answer is written down once more, in milliseconds: together shorter than a claim may be silent. */
const storingPauses = [100, 1_000, 4_000]

/**
 * Writes down what became of a delivery, unless it is another's by now. What changed while it was on its way is sent after a pause.
 * What fails is written again, unless it is the answer's fault: forgotten, the message would be sent twice. Throws where that lasts.
 */
export async function storeDelivery(
  deps: OutboxDeps,
  target: Claimed,
  due: Due,
  change: Change,
): Promise<void> {
  const { store } = batchesOf(deps, target).writes
  for (const pause of storingPauses)
    try {
      await store({ due, change })
      return
    } catch (error) {
      if (isOfData(error)) throw error
      await sleep(pause)
    }
  await store({ due, change })
}

const isOfData = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(22|23)/.test(String(error.code))

/** Leaves a delivery out, and says why. */
export async function skip(deps: OutboxDeps, target: Claimed, due: Due, reason: string): Promise<After> {
  await storeDelivery(deps, target, due, { state: 'skipped', reason, next_at: null })
  deps.figures.ended(target.kind, 'skipped')
  deps.tell({ ownerId: target.owner_id, changed: 'log', destinationId: target.id })
  return goOn
}

const twice = 'It may be there twice: nobody knows whether the first one arrived.'

/** What an answer means for the delivery and its destination. */
export async function settle(
  deps: OutboxDeps,
  target: Claimed,
  due: Due,
  outcome: SendOutcome,
  { content, canEdit }: { content: DeliveryContent; canEdit: boolean },
): Promise<After> {
  const isEdit = due.state !== 'queued'
  const { status, answer } = outcome
  const said = { status, answer, attempts: due.attempts + 1 }
  const kept = { sent_version: due.wanted_version, next_at: null }
  const now = deps.clock().getTime()
  if (outcome.result !== 'sent' && isSentAnew(due, outcome) && (await hasChanged(deps.databases, target)))
    return sendAnew(deps, target, due, outcome)
  switch (outcome.result) {
    case 'sent': {
      const reason = due.doubts > 0 ? twice : ''
      await storeDelivery(deps, target, due, {
        ...{ ...said, ...kept, content, reason, state: isEdit ? 'edited' : 'sent', isSent: !isEdit },
        // Of the tries of a change only its own count.
        attempts: isEdit ? 1 : said.attempts,
        message_id: canEdit ? (outcome.messageId ?? due.message_id) : null,
      })
      await noteSuccess(deps, target, new Date(now))
      deps.figures.ended(target.kind, isEdit ? 'edited' : 'sent')
      return goOn
    }
    case 'later': {
      const resumeAt = new Date(now + outcome.afterMs)
      await storeDelivery(deps, target, due, {
        ...{ status, answer, reason: outcome.text, next_at: resumeAt, isPutOff: true },
        ...(isEdit ? {} : { state: 'queued' }),
      })
      // What fails of this mustn't have the next message sent before it may be.
      await buryLate(deps, target, outcome.isOfOneMessage ? due.id : null, outcome.text).catch((err) =>
        deps.log.warn({ err, destination: target.id }, 'What waits for a service was not looked through'),
      )
      return outcome.isOfOneMessage ? goOn : { resumeAt, isOver: false }
    }
    case 'unknown':
      if (isEdit) return fail(deps, target, due, outcome.text, said)
      if (due.doubts + 1 >= mostDoubts)
        return bury(deps, target, due, `${outcome.text} It may be there twice, so it isn’t sent again.`, said)
      return fail(deps, target, { ...due, doubts: due.doubts + 1 }, outcome.text, {
        ...said,
        doubts: due.doubts + 1,
      })
    case 'failed':
      return fail(deps, target, due, outcome.text, said)
    case 'refused':
      if (!isEdit) return bury(deps, target, due, outcome.text, said)
      await storeDelivery(deps, target, due, { ...said, ...kept, reason: outcome.text })
      return goOn
    case 'lost':
      await storeDelivery(deps, target, due, {
        ...{ ...said, ...kept, reason: outcome.text, message_id: null },
        ...(isEdit ? {} : { state: 'dead' }),
      })
      return goOn
    case 'gone': {
      if (!(await endDestination(deps, target, 'gone', outcome.text)))
        return sendAnew(deps, target, due, outcome)
      await storeDelivery(deps, target, due, {
        ...{ ...said, reason: outcome.text, next_at: null },
        ...(isEdit ? {} : { state: 'dead' }),
      })
      deps.figures.ended(target.kind, 'dead')
      return over
    }
    case 'moved':
      if (!(await moveDestination(deps, target, outcome.settings)))
        return sendAnew(deps, target, due, outcome)
      if (pauseAfter(said.attempts) === null) return fail(deps, target, due, outcome.text, said)
      await storeDelivery(deps, target, due, {
        ...{ ...said, reason: outcome.text, next_at: new Date(now) },
        ...(isEdit ? {} : { state: 'queued' }),
      })
      return over
  }
}

/** Whether it may be otherwise elsewhere: not of a message that can't be changed where it is, nor of a test of that place. */
function isSentAnew(due: Due, { result }: SendOutcome): boolean {
  if (due.kind === 'test') return false
  return due.state === 'queued' || (result !== 'lost' && result !== 'refused')
}

/** Has what an old address didn't take be sent to the one that was entered meanwhile, at once and with all tries of the plan before it. */
async function sendAnew(
  deps: OutboxDeps,
  target: Claimed,
  due: Due,
  { status, answer, ...outcome }: Exclude<SendOutcome, { result: 'sent' }>,
): Promise<After> {
  const doubts = due.doubts + Number(outcome.result === 'unknown')
  await storeDelivery(deps, target, due, {
    ...{ status, answer, reason: `${outcome.text} It goes to the new address now.`, attempts: 0 },
    // Only settings may be different of what is still the same place, so a doubt remains one.
    ...(due.state === 'queued' && { state: 'queued', doubts: Math.min(doubts, mostDoubts - 1) }),
    next_at: deps.clock(),
  })
  deps.figures.ended(target.kind, 'failed')
  return over
}

type Said = { status?: number | undefined; answer?: string | undefined; attempts: number; doubts?: number }

async function fail(deps: OutboxDeps, target: Claimed, due: Due, text: string, said: Said): Promise<After> {
  const isEdit = due.state !== 'queued'
  const now = deps.clock()
  const next = pauseAfter(said.attempts)
  // Whoever sends a test looks at what comes of it, and sends another.
  const pause = due.kind === 'test' ? null : next
  deps.figures.ended(target.kind, 'failed')
  if (pause === null) {
    if (!isEdit) await bury(deps, target, due, text, said)
    else
      await storeDelivery(deps, target, due, {
        ...said,
        reason: text,
        next_at: null,
        sent_version: due.wanted_version,
      })
  } else
    await storeDelivery(deps, target, due, {
      ...{ ...said, reason: text, next_at: new Date(now.getTime() + pause) },
      ...(isEdit ? {} : { state: 'queued' }),
    })
  const since = await noteFailure(deps, target, now, text)
  // Since the first failure there may have been nothing to send: what fails for the first time is tried again before.
  if (since && now.getTime() - since.getTime() > longestFailingMs && said.attempts > 1) {
    await endDestination(deps, target, 'paused', `It failed for a week: ${text}`)
    return over
  }
  return { resumeAt: new Date(now.getTime() + destinationPause(next ?? 60_000)), isOver: false }
}

/** Gives a message up, and has its owner hear of it elsewhere. */
export async function bury(
  deps: OutboxDeps,
  target: Claimed,
  due: Due,
  text: string,
  said: Said,
): Promise<After> {
  await storeDelivery(deps, target, due, { ...said, state: 'dead', reason: text, next_at: null })
  deps.figures.ended(target.kind, 'dead')
  await noticeBuried(deps, target, [due.kind], text)
  return goOn
}

/**
 * Gives up what a service has put off for as long as all tries of the plan would take: one message, or all of its destination. Those behind
 * one that waits are put off with it, though they weren't tried.
 */
async function buryLate(deps: OutboxDeps, target: Claimed, only: number | null, text: string): Promise<void> {
  const { durablePool } = deps.databases
  const reason = `It had to wait for three days: ${text}`
  const now = deps.clock()
  if (only === null)
    await durablePool.query(
      `update deliveries set due_at = $2 where destination_id = $1 and due_at is null and next_at <= $2
         and state in ('queued', 'sent', 'edited')`,
      [target.id, now],
    )
  const { rows } = await durablePool.query<Pick<Due, 'kind'> & { is_dead: boolean }>(
    `update deliveries set next_at = null, due_at = null, reason = $3, updated_at = $4,
       state = case when state = 'queued' then 'dead' else state end,
       sent_version = case when state = 'queued' then sent_version else wanted_version end
     where destination_id = $1 and ($2::bigint is null or id = $2) and next_at is not null and due_at < $5
       and state in ('queued', 'sent', 'edited') and exists (select from destinations where id = $1 and busy_by = $6)
     returning kind, state = 'dead' as is_dead`,
    [target.id, only, reason, now, new Date(now.getTime() - longestWaitMs), target.busy_by],
  )
  const dead = rows.filter(({ is_dead }) => is_dead).map(({ kind }) => kind)
  if (dead.length === 0) return
  deps.figures.ended(target.kind, 'dead', dead.length)
  await noticeBuried(deps, target, dead, reason)
}

/** Tells of messages that were given up, unless they were notices and tests alone. */
async function noticeBuried(
  deps: OutboxDeps,
  target: Claimed,
  kinds: readonly Due['kind'][],
  text: string,
): Promise<void> {
  if (kinds.every((kind) => kind === 'notice' || kind === 'test')) return
  await noticeOwner(deps.databases.durablePool, target, {
    title: `A message could not be sent to ${target.name}`,
    text,
  })
}
