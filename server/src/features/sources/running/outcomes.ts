import { mostInterval } from '@dealdeck/contract/sources'
import { timeInText } from '../../../platform/clock.ts'
import type { Retention, RunOutcome } from '../kinds/source-kind.ts'
import { type BaselineChange, readBaseline } from './baseline.ts'
import type { After, Claim, Ended, RunTotals, SourceRow } from './claims.ts'
import {
  failedInterval,
  lostTime,
  nextRhythm,
  nextTime,
  quietTime,
  readRhythm,
  usualInterval,
} from './rhythm.ts'

/** How a run has ended, with what it handed over. */
export type Finished = RunOutcome & {
  endedAt: Date
  handing: {
    totals: RunTotals
    texts: readonly string[]
    notes: ReadonlySet<string>
    baseline: BaselineChange
    listsAll: boolean
    /** Why no row of it became a deal: refused, or waiting for a person. Null where some did. */
    allRefused: string | null
    allHeld: string | null
  }
}

/**
 * How a run has ended, in truth: one whose document was refused altogether, or that says the same as such a one, has not worked. One that says
 * the same as a document that is held altogether says so again.
 */
export function honestOutcome(
  outcome: RunOutcome,
  { allRefused, totals }: Pick<Finished['handing'], 'allRefused' | 'totals'>,
  baseline: unknown,
): RunOutcome {
  if (outcome.state !== 'done' && outcome.state !== 'unchanged') return outcome
  // What was imported again is judged anew.
  const isSaidBefore = outcome.state === 'unchanged' && totals.received === 0
  const known = readBaseline(baseline)
  const before = isSaidBefore ? known : readBaseline(null)
  const refused = allRefused ?? before.all_refused
  if (refused !== null) return { ...outcome, state: 'failed', text: refused }
  // Of what was refused altogether before, this is the first reading.
  if (outcome.state === 'unchanged' && known.all_refused !== null) return { ...outcome, state: 'done' }
  const text = [outcome.text, before.all_held].filter(Boolean).join(' ')
  return text === '' ? outcome : { ...outcome, text }
}

/** What a run comes to: its own row, and what becomes of its source. `random` is from 0 to 1. */
export function afterRun(
  { source, before }: Pick<Claim, 'source' | 'before'>,
  finished: Finished,
  random: number,
  retention?: Retention,
): { totals: RunTotals; run: Ended; after: After } {
  const { handing, endedAt: at, ...outcome } = finished
  const { totals } = handing
  const text = [outcome.text, ...handing.texts].filter((part) => part).join(' ')
  const run: Ended = {
    ...{ state: outcome.state, text: text === '' ? null : text },
    notes: [...(outcome.notes ?? []), ...handing.notes],
    cost: outcome.cost ?? null,
  }
  const isNew = totals.created + totals.updated > 0
  const good = outcome.state === 'done' || outcome.state === 'unchanged'
  const isHeard = good || isNew
  const known = readRhythm(source.rhythm)
  const lostMs = lostTime(source, known, at)
  const rhythm = nextRhythm(known, {
    ...{ at, created: totals.created, isNew, lastNewAt: source.last_new_at },
    // Once it is heard again: a run that heard nothing goes on with the same time.
    lostMs: isHeard ? lostMs : 0,
  })
  const state = stateOf(source, outcome)
  const after: After = {
    ...{ state, state_text: sentence(text, outcome), rhythm },
    baseline: changedBaseline(outcome, handing),
    // Somebody who tries again and again makes nobody wait longer.
    failures:
      outcome.state === 'failed' && source.asked_at === null
        ? source.failures + 1
        : good
          ? 0
          : source.failures,
    // The first failure was called waiting.
    failing_since:
      state === 'failing'
        ? (source.failing_since ?? (source.failures > 0 ? before : null) ?? at)
        : good
          ? null
          : source.failing_since,
    last_success_at: good ? at : source.last_success_at,
    last_new_at: isNew ? at : source.last_new_at,
    next_run_at: null,
  }
  const quietMs = quietTime(after.last_new_at ?? source.created_at, rhythm, at) - (isHeard ? 0 : lostMs)
  const usual = usualInterval(source, rhythm, quietMs)
  const minutes = minutesUntilNext(
    source,
    outcome,
    Math.max(1, after.failures),
    refreshed(source, usual, retention),
  )
  // Whoever says when it is there again knows better.
  const isTold = outcome.state === 'waiting' && outcome.notBefore !== undefined
  after.next_run_at = isTold
    ? nextTime(at, 0, random, outcome.notBefore)
    : nextTime(at, minutes, random, outcome.notBefore)
  return { totals, run, after }
}

function changedBaseline(
  { state }: RunOutcome,
  { baseline, listsAll, allRefused, allHeld, totals }: Finished['handing'],
): BaselineChange | null {
  if (state === 'done') return { ...baseline, lists_all: listsAll, all_refused: null, all_held: allHeld }
  // A run that goes on later has handed over some of its rows.
  const { unstored = 0 } = baseline
  if (state === 'unchanged' && totals.received > 0 && allRefused === null)
    return { unstored, all_held: allHeld }
  if (allRefused === null) return unstored > 0 ? { unstored } : null
  return { all_refused: allRefused, all_held: null }
}

/**
 * What has worked and fails once may be over by the next time, such as a server that restarts: it waits, and needs nobody yet. Settings that
 * were never asked with have not worked.
 */
function stateOf(
  { state: before, last_success_at, failures }: SourceRow,
  { state, isPermanent }: RunOutcome,
): After['state'] {
  const hasWorked = last_success_at !== null && before !== 'new'
  if (state === 'failed') return hasWorked && failures === 0 && !isPermanent ? 'waiting' : 'failing'
  return state === 'waiting' || state === 'not_eligible' ? state : 'ok'
}

function minutesUntilNext(source: SourceRow, outcome: RunOutcome, failures: number, usual: number): number {
  if (outcome.state === 'not_eligible' || (outcome.state === 'failed' && outcome.isPermanent))
    return mostInterval
  return outcome.state === 'failed' ? failedInterval(source, failures) : usual
}

/** Minutes until what may be shown for a while only is asked for again: in time, also where its source is to be asked seldom. */
function refreshed({ interval_from }: SourceRow, usual: number, retention: Retention | undefined): number {
  if (!retention) return usual
  const { refreshAfterHours, hiddenAfterHours } = retention
  return Math.min(usual, Math.max(interval_from, refreshAfterHours * 60), (hiddenAfterHours * 60) / 2)
}

/** What is said of the source until it is asked again. */
function sentence(text: string, { state, notBefore }: RunOutcome): string {
  if (text !== '') return text
  if (state === 'waiting') return notBefore ? `It waits for its turn until ${timeInText(notBefore)}.` : ''
  return state === 'done' || state === 'unchanged' ? '' : 'It said nothing about why.'
}
