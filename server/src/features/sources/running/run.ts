import { httpStatus } from '../../../platform/errors.ts'
import { toAppError } from '../../../platform/http/http-errors.ts'
import { HostQuietError } from '../../../platform/outgoing/host-turns.ts'
import { FetchError } from '../../../platform/outgoing/safe-fetch.ts'
import type { RunContext, RunOutcome, SourceDocument } from '../kinds/source-kind.ts'
import { notifySource } from '../live.ts'
import { readBaseline } from './baseline.ts'
import {
  type Claim,
  ClaimLostError,
  claimSource,
  finishRun,
  giveBack,
  heartbeatSeconds,
  keepClaim,
  storePosition,
} from './claims.ts'
import { Handing, type Progress } from './handing.ts'
import { endLeftOut } from './listing.ts'
import { afterRun, type Finished, honestOutcome } from './outcomes.ts'
import { bindSettings, openSecrets } from './secrets-and-settings.ts'
import type { SourceDeps } from './source-deps.ts'

/** Whoever could not say for so long that it is at work has lost its source by then, in milliseconds. */
const claimLastsMs = 12_000
/** A run takes so long at most, in milliseconds: less than its job may. */
const runMs = 25 * 60_000
const tooSlow: RunOutcome = {
  state: 'failed',
  text: `It took longer than ${runMs / 60_000} minutes. Documents that had come to their end by then were imported.`,
}
/** Of a run under way everybody is told this often at most, in milliseconds. */
const tellEveryMs = 500

/**
 * Asks a source that is due, once. Undefined where it isn't due any more or another process is at it. What goes wrong with the source is
 * how the run ends; only what the database throws is thrown, and the signal's reason, once the source is given back.
 */
export async function runSource(
  deps: SourceDeps,
  id: number,
  signal: AbortSignal,
): Promise<{ runId: number; outcome: Finished } | undefined> {
  const claim = await claimSource(deps.databases, id)
  if (!claim) return undefined
  const { databases, figures, clock, log } = deps
  const begun = performance.now()
  const lost = new AbortController()
  const late = AbortSignal.timeout(runMs)
  const both = AbortSignal.any([signal, lost.signal, late])
  const told = teller(deps, claim)
  const endKeeping = keep(deps, claim, lost)
  figures.running += 1
  told.atWork({ phase: 'asking', rows: 0 })
  try {
    const handing = new Handing(deps, claim, { signal: both, tell: told.atWork })
    const outcome = await ask(deps, claim, handing, both).catch((error) => {
      if (!late.aborted || signal.aborted || lost.signal.aborted) throw error
      return tooSlow
    })
    signal.throwIfAborted()
    lost.signal.throwIfAborted()
    const honest = honestOutcome(outcome, handing, claim.source.baseline)
    const finished = { ...honest, handing, endedAt: clock() }
    await endMissing(deps, finished, claim, AbortSignal.any([signal, lost.signal]))
    const retention = deps.kinds.find(({ kind }) => kind === claim.source.kind)?.retention
    await finishRun(databases, claim, afterRun(claim, finished, Math.random(), retention))
    figures.ran(claim.source.kind, honest.state, performance.now() - begun)
    return { runId: claim.runId, outcome: finished }
  } catch (error) {
    // Whoever has it now writes down how it goes on.
    if (error instanceof ClaimLostError || lost.signal.aborted) return undefined
    await giveBack(databases, claim, signal.aborted).catch((err) =>
      log.debug({ err }, 'A source was not given back'),
    )
    throw error
  } finally {
    figures.running -= 1
    endKeeping()
    await told.over()
  }
}

/** Asks the kind; whatever is wrong with the source is a failure in words. */
async function ask(
  deps: SourceDeps,
  claim: Claim,
  handing: Handing,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { source } = claim
  try {
    const secrets = await openSecrets(deps, source)
    const bound = bindSettings(deps, source.kind, source.settings, source.secret_names)
    return await bound.run(
      contextOf(
        deps,
        {
          ...{ secrets, position: source.position, isTry: false, confirms: !claim.isHeld },
          ...{ signal, runId: claim.runId },
        },
        {
          // Of a source that was changed or removed meanwhile nothing more is stored.
          hand: (document) => handing.hand({ ...document, body: whileHeld(deps, claim, document.body) }),
          savePosition: (position) => storePosition(deps.databases, claim, position),
        },
      ),
    )
  } catch (error) {
    signal.throwIfAborted()
    return failureOf(error, deps)
  }
}

/** The same pieces; throws after the last where the source isn't this run's any more, before any of it is a deal. */
async function* whileHeld(
  { databases }: SourceDeps,
  claim: Claim,
  body: SourceDocument['body'],
): AsyncGenerator<object> {
  yield* body
  if (!(await keepClaim(databases, claim))) throw new ClaimLostError()
}

/** What a kind gets to see of the application. */
export function contextOf(
  { clock, settings, ask: request, budget, token }: SourceDeps,
  {
    runId,
    ...given
  }: Pick<RunContext, 'secrets' | 'position' | 'isTry' | 'confirms' | 'signal'> & { runId: number | null },
  ways: Pick<RunContext, 'hand' | 'savePosition'>,
): RunContext {
  return {
    ...{ ...given, ...ways, token, clock, marketplace: settings.MARKETPLACE },
    budget: (key, pace) => budget(key, pace, runId),
    ask: (url, { signal: own, ...rest }) =>
      request(url, { ...rest, signal: own ? AbortSignal.any([own, given.signal]) : given.signal }),
  }
}

/**
 * What is wrong with a source, as the end of its run. Throws what is about the database, or about how much there is to do. What nobody has
 * thought of is a failure too, and is written to the log: the source is tried again ever more seldom.
 */
export function failureOf(error: unknown, { log }: Pick<SourceDeps, 'log'>): RunOutcome {
  if (error instanceof ClaimLostError) throw error
  // It will be free again by itself.
  if (error instanceof HostQuietError)
    return { state: 'waiting', text: error.message, notBefore: error.until }
  if (error instanceof FetchError) return { state: 'failed', text: error.message }
  const { code, message, fields } = toAppError(error)
  if (code === 'DATABASE_UNAVAILABLE' || code === 'BUSY' || code === 'TOO_MANY_REQUESTS') throw error
  if (httpStatus(code) >= 500) {
    log.error({ err: error }, 'A source could not be read')
    return { state: 'failed', text: 'Something went wrong in Dealdeck itself; its log says what.' }
  }
  // Settings that another version took, or secrets sealed with another key, are for whoever set it up.
  const isPermanent = Object.keys(fields ?? {}).some((name) => /^(settings|secrets|kind)\b/.test(name))
  return { state: 'failed', text: message, isPermanent }
}

/** Ends what a list of everything left out, where it gives no reason to doubt it. */
async function endMissing(
  { databases }: SourceDeps,
  { state, handing }: RunOutcome & { handing: Handing },
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const { is_doubtful: wasDoubtful, lists_all: listedAll } = readBaseline(claim.source.baseline)
  const isUnchanged = state === 'unchanged' && !wasDoubtful && listedAll
  if (!isUnchanged && !(state === 'done' && handing.listsAll && !handing.isDoubtful)) return
  handing.totals.ended = await endLeftOut(databases, claim, {
    ...{ importId: handing.totals.import_ids.at(-1) ?? null, signal, isUnchanged },
    keepsHistory: handing.keepsHistory,
  })
}

/** Says that the run goes on, until it is called, and ends it where nobody has heard that for long, or somebody else has the source. */
function keep({ databases }: SourceDeps, claim: Claim, lost: AbortController): () => void {
  const lose = () => lost.abort(new ClaimLostError())
  const lapse = setTimeout(lose, claimLastsMs)
  let isAsking = false
  let isOver = false
  const beat = setInterval(async () => {
    // A database that doesn't answer is not asked again meanwhile.
    if (isAsking) return
    isAsking = true
    const kept = await keepClaim(databases, claim).catch(() => undefined)
    isAsking = false
    if (isOver) return
    if (kept) lapse.refresh()
    else if (kept === false) lose()
  }, heartbeatSeconds * 1_000)
  return () => {
    isOver = true
    clearInterval(beat)
    clearTimeout(lapse)
  }
}

/** Tells administrators how far a run is, not too often, without its work waiting for that; and at its end that it is over, last of all. */
function teller({ databases }: SourceDeps, { source }: Claim) {
  let next = 0
  let last = Promise.resolve()
  const tell = (progress: Progress | null) => {
    last = last.then(() =>
      notifySource(databases.reservedPool, { source_id: source.id, progress }).catch(() => undefined),
    )
    return last
  }
  return {
    atWork(progress: Progress): void {
      const now = performance.now()
      if (now < next) return
      next = now + tellEveryMs
      void tell(progress)
    },
    over: () => tell(null),
  }
}
