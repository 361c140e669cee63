import type { Source, TryInput, TryResult } from '@dealdeck/contract/sources'
import { AppError } from '../../../platform/errors.ts'
import type { Handed, RunOutcome, SourceDocument } from '../kinds/source-kind.ts'
import { previewDocument } from './handing.ts'
import { contextOf, failureOf } from './run.ts'
import { bindSettings, keptSecrets, kindOf, openSecrets, refuseElsewhere } from './secrets-and-settings.ts'
import type { SourceDeps } from './source-deps.ts'

/** So long a try takes at most, in milliseconds. */
const tryMs = 20_000
/** Rows that are shown. */
const shownRows = 10

/** Of what is stored a try knows nothing. */
const notCompared = 'A run also compares rows with what is stored, and may hold more of them.'

const tooSlow = `It took longer than ${tryMs / 1_000} seconds to answer.`

/**
 * Asks what somebody has typed, and shows what it would bring; nothing is stored. What is wrong with it is said in the result. Throws
 * INVALID_INPUT by field, and NOT_FOUND where the source whose secrets are to be used is gone.
 */
export async function trySource(deps: SourceDeps, input: TryInput, gone: AbortSignal): Promise<TryResult> {
  const kept = await storedSource(deps, input)
  const kind = kindOf(deps, input.kind)
  const secrets = keptSecrets(kind, kept.secrets, input.secrets)
  const bound = bindSettings(deps, input.kind, input.settings, Object.keys(secrets))
  refuseElsewhere(kind, kept, { settings: bound.settings, given: input.secrets })
  const result: TryResult = { problem: null, preview: null, lists: [], cost: bound.cost, notes: [] }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new AppError('INVALID_INPUT', tooSlow)), tryMs)
  const signal = AbortSignal.any([gone, late.signal])
  const hand = async (document: SourceDocument): Promise<Handed> => {
    const counts = { created: 0, updated: 0, unchanged: 0, held: 0 }
    // The first document shows what there is.
    if (result.preview) return { ...counts, received: 0, rejected: 0 }
    const preview = await previewDocument(deps, document, { source: kept.source, signal })
    const { received, rejected_total: rejected, held_total: held } = preview
    result.preview = { ...preview, rows: preview.rows.slice(0, shownRows) }
    return { ...counts, received, rejected, held }
  }
  try {
    const given = { secrets, position: null, isTry: true, confirms: false, signal, runId: null }
    const outcome = await bound.run(contextOf(deps, given, { hand, savePosition: async () => {} }))
    return withOutcome(result, outcome)
  } catch (error) {
    gone.throwIfAborted()
    if (late.signal.aborted) return { ...result, problem: tooSlow }
    return withOutcome(result, failureOf(error, deps))
  } finally {
    clearTimeout(timer)
  }
}

function withOutcome(result: TryResult, { state, text, notes, cost, lists }: RunOutcome): TryResult {
  const isFine = state === 'done' || state === 'unchanged'
  return {
    ...result,
    problem: isFine ? null : (text ?? 'It could not be read.'),
    lists: lists ?? [],
    cost: cost ?? result.cost,
    notes: [
      ...(isFine && text ? [text] : []),
      ...(notes ?? []),
      ...(result.preview?.notes ?? []),
      ...(result.preview ? [notCompared] : []),
    ],
  }
}

type Stored = {
  settings: Source['settings']
  secrets: Record<string, string>
  source: Pick<Source, 'id' | 'trusted_rules' | 'refused_rules'> | undefined
}

/** The source whose secrets are to be used, with these and its settings; of none there are none. */
async function storedSource(deps: SourceDeps, { kind, source_id }: TryInput): Promise<Stored> {
  const none = { settings: {}, secrets: {}, source: undefined }
  if (source_id === undefined) return none
  const source = await deps.databases.db
    .selectFrom('sources')
    .select(['id', 'kind', 'settings', 'secrets', 'trusted_rules', 'refused_rules'])
    .where('id', '=', source_id)
    .executeTakeFirst()
  if (!source) throw new AppError('NOT_FOUND', 'This source no longer exists.')
  if (source.kind !== kind) return none
  return { settings: source.settings, secrets: await openSecrets(deps, source), source }
}
