import { setTimeout as sleep } from 'node:timers/promises'
import type { SettingValue } from '@dealdeck/contract/setting-fields'
import type { WaitsFor } from '../../../platform/database/alert-tables.ts'
import { isConnectionError } from '../../../platform/http/http-errors.ts'
import type { SendOutcome } from '../kinds/destination-kind.ts'
import type { DeliveryContent } from '../rendering/content.ts'
import type { Claimed, Due } from './claims.ts'
import { goneTitle, noticeOwner } from './notices.ts'
import type { OutboxDeps } from './outbox-deps.ts'
import { destinationPause, longestFailingMs, mostDoubts, pauseAfter } from './retry-plan.ts'

/** What follows for the destination: nothing before a time, nothing at all any more, or the next message. */
export type After = { resumeAt: Date | null; isOver: boolean }
export const goOn: After = { resumeAt: null, isOver: false }

/** What becomes of a delivery; what isn't named stays. */
type Change = {
  state?: 'queued' | 'sent' | 'edited' | 'skipped' | 'dead'
  reason: string
  next_at: Date | null
  waits_for?: WaitsFor
  attempts?: number
  doubts?: number
  sent_version?: number
  message_id?: string | null
  status?: number | undefined
  answer?: string | undefined
  content?: DeliveryContent
  isSent?: boolean
}

/** Pauses before an answer is written down once more, in milliseconds: together shorter than a claim may be silent. */
const storingPauses = [100, 1_000, 4_000]

/**
 * Writes down what became of a delivery, unless it is another's by now. What changed while it was on its way is sent after a pause.
 * Over a connection that breaks it is written again: forgotten, the message would be sent twice. Throws where that lasts.
 */
export async function storeDelivery(deps: OutboxDeps, due: Due, change: Change): Promise<boolean> {
  for (const pause of storingPauses)
    try {
      return await tryToStore(deps, due, change)
    } catch (error) {
      if (!isConnectionError(error)) throw error
      await sleep(pause)
    }
  return tryToStore(deps, due, change)
}

async function tryToStore({ databases, clock }: OutboxDeps, due: Due, change: Change): Promise<boolean> {
  const { state, reason, next_at, attempts, doubts, sent_version, message_id, content } = change
  const { rowCount } = await databases.durablePool.query(
    `update deliveries set state = coalesce($3, state), reason = $4, updated_at = $12, claim = null,
       next_at = case when $9::int is not null and wanted_version > $9 and $11::text is not null
         then $12::timestamptz + interval '30 seconds' else $5::timestamptz end,
       attempts = coalesce($6, attempts), doubts = coalesce($7, doubts), sent_version = coalesce($9, sent_version),
       message_id = case when $10 then $11 else message_id end, status = coalesce($13, status), answer = coalesce($14, answer),
       content = coalesce($8, content), sent_at = case when $15 then $12 else sent_at end,
       waits_for = $16
     where id = $1 and claim = $2`,
    [
      ...[due.id, due.claim, state ?? null, reason, next_at, attempts ?? null, doubts ?? null],
      ...[content ? JSON.stringify(content) : null, sent_version ?? null],
      ...[message_id !== undefined, message_id ?? (message_id === undefined ? due.message_id : null)],
      ...[
        clock(),
        change.status ?? null,
        change.answer ?? null,
        change.isSent ?? false,
        change.waits_for ?? null,
      ],
    ],
  )
  return rowCount === 1
}

/** Leaves a delivery out, and says why. */
export async function skip(deps: OutboxDeps, target: Claimed, due: Due, reason: string): Promise<After> {
  await storeDelivery(deps, due, { state: 'skipped', reason, next_at: null })
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
  deps.tell({ ownerId: target.owner_id, changed: 'log', destinationId: target.id })
  switch (outcome.result) {
    case 'sent': {
      const reason = due.doubts > 0 ? twice : ''
      await storeDelivery(deps, due, {
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
      await storeDelivery(deps, due, {
        ...{ status, answer, reason: outcome.text, next_at: resumeAt },
        ...(isEdit ? {} : { state: 'queued' }),
      })
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
      await storeDelivery(deps, due, { ...said, ...kept, reason: outcome.text })
      return goOn
    case 'lost':
      await storeDelivery(deps, due, {
        ...{ ...said, ...kept, reason: outcome.text, message_id: null },
        ...(isEdit ? {} : { state: 'dead' }),
      })
      return goOn
    case 'gone': {
      const isOther = !(await end(deps, target, 'gone', outcome.text))
      await storeDelivery(deps, due, {
        // What was entered meanwhile has a say of its own.
        ...{ ...said, reason: outcome.text, next_at: isOther ? new Date(now) : null },
        ...(isEdit ? {} : { state: isOther ? 'queued' : 'dead' }),
      })
      deps.figures.ended(target.kind, isOther ? 'failed' : 'dead')
      return { resumeAt: null, isOver: true }
    }
    case 'moved':
      await move(deps, target, outcome.settings)
      if (pauseAfter(said.attempts) === null) return fail(deps, target, due, outcome.text, said)
      await storeDelivery(deps, due, {
        ...{ ...said, reason: outcome.text, next_at: new Date(now) },
        ...(isEdit ? {} : { state: 'queued' }),
      })
      return { resumeAt: null, isOver: true }
  }
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
      await storeDelivery(deps, due, {
        ...said,
        reason: text,
        next_at: null,
        sent_version: due.wanted_version,
      })
  } else
    await storeDelivery(deps, due, {
      ...{ ...said, reason: text, next_at: new Date(now.getTime() + pause) },
      ...(isEdit ? {} : { state: 'queued' }),
    })
  const { rows } = await deps.databases.durablePool.query<{ failing_since: Date }>(
    `update destinations set failing_since = coalesce(failing_since, $3), state_text = $4,
       state = case when state = 'ok' then 'failing' else state end
     where id = $1 and busy_by = $2 returning failing_since`,
    [target.id, target.busy_by, now, text],
  )
  if (target.state === 'ok') tellOfDestination(deps, target)
  const since = rows[0]?.failing_since
  // Since the first failure there may have been nothing to send: what fails for the first time is tried again before.
  if (since && now.getTime() - since.getTime() > longestFailingMs && said.attempts > 1) {
    await end(deps, target, 'paused', `It failed for a week: ${text}`)
    return { resumeAt: null, isOver: true }
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
  await storeDelivery(deps, due, { ...said, state: 'dead', reason: text, next_at: null })
  deps.figures.ended(target.kind, 'dead')
  if (due.kind !== 'notice' && due.kind !== 'test')
    await noticeOwner(deps.databases.durablePool, target, {
      title: `A message could not be sent to ${target.name}`,
      text,
    })
  return goOn
}

/** That a destination is the one that was sent to: its owner may have entered another address while an answer was awaited. */
const isSame = 'id = $1 and settings = $3::jsonb and secrets is not distinct from $4'
const sameOf = ({ settings, secrets }: Claimed) => [JSON.stringify(settings), secrets]

/**
 * Ends what is sent to a destination, until its owner has done something about it, and tells them elsewhere; false where it is another
 * one by now.
 */
async function end(
  deps: OutboxDeps,
  target: Claimed,
  how: 'gone' | 'paused',
  text: string,
): Promise<boolean> {
  const { durablePool } = deps.databases
  const set = how === 'gone' ? "state = 'gone', failing_since = null" : 'is_paused = true'
  const { rowCount } = await durablePool.query(
    `update destinations set ${set}, state_text = $2, updated_at = date_trunc('milliseconds', now()) where ${isSame}`,
    [target.id, text, ...sameOf(target)],
  )
  if (rowCount === 0) return false
  await noticeOwner(durablePool, target, {
    title: how === 'gone' ? goneTitle(target.name) : `${target.name} is paused`,
    text,
  })
  tellOfDestination(deps, target)
  return true
}

async function noteSuccess({ databases, ...deps }: OutboxDeps, target: Claimed, now: Date): Promise<void> {
  const wasFailing = target.failing_since !== null || target.state === 'failing'
  await databases.durablePool.query(
    `update destinations set last_sent_at = $2${wasFailing ? ", failing_since = null, state_text = '', state = case when state = 'failing' then 'ok' else state end" : ''}
     where id = $1`,
    [target.id, now],
  )
  if (!wasFailing) return
  target.failing_since = null
  target.state = 'ok'
  tellOfDestination({ databases, ...deps }, target)
}

async function move(
  deps: OutboxDeps,
  target: Claimed,
  settings: Record<string, SettingValue>,
): Promise<void> {
  await deps.databases.durablePool.query(
    `update destinations set settings = $2, updated_at = date_trunc('milliseconds', now()) where ${isSame}`,
    [target.id, JSON.stringify(settings), ...sameOf(target)],
  )
  target.settings = settings
  tellOfDestination(deps, target)
}

function tellOfDestination(deps: OutboxDeps, { owner_id, id }: Claimed): void {
  deps.tell({ ownerId: owner_id, changed: 'destinations', destinationId: id })
}
