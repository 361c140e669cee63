import { randomBytes } from 'node:crypto'
import {
  type ImportPreview,
  type ImportQuery,
  type ImportReject,
  type ImportResult,
  type IngestToken,
  mostTokens,
} from '@dealdeck/contract/ingest'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { hashToken } from '../../platform/accounts/sessions.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { numberText } from '../../platform/numbers.ts'
import { type Actor, recordChange } from '../audit/actions.ts'
import type { MergeRules, StagedPart } from '../deals/writing/merge-sql.ts'
import { notifyToken } from './live.ts'
import type { Body } from './reading/body.ts'
import type { Bytes } from './reading/bytes.ts'
import { isOfOtherShop } from './reading/deal-row.ts'
import { type BodyLimits, sentBodies } from './reading/limits.ts'
import { openBody, type PreviewOptions, previewBody } from './reading/preview.ts'
import { Rejects } from './reading/rejects.ts'
import { recordImport, reserveImportId } from './storing/history.ts'
import { isSessionLost } from './storing/lane.ts'
import { mergeStaged } from './storing/merge-chunks.ts'
import { Staging } from './storing/staging.ts'
import { planHiding, RefusedItems } from './storing/unlisted.ts'

export type IngestDeps = { databases: Databases; marketplace: Marketplace; clock: Clock }

export type ImportProgress =
  | { phase: 'reading'; rows: number }
  | { phase: 'storing'; done: number; total: number }

/** What was read of a body, before any of it is merged: whoever takes rows out of the tables keeps them from being merged. */
export type Staged = {
  parts: readonly StagedPart[]
  /** Items that refused rows name, and how many refused rows may name any. */
  refused: { list: readonly string[]; unnamed: number }
  /** Which of the fields that an empty cell clears the body has a column for. */
  has: { originalPrice: boolean; availability: boolean }
  /** How many rows are of other shops, and marked. None may be left in the tables. */
  otherShops: number
  /** Counts a row among the refused ones, whoever takes it out. */
  reject(row: ImportReject): void
}

export type ImportOptions = Omit<
  ImportQuery,
  'file' | 'missing' | 'confirm' | 'encoding' | 'list_path' | 'history'
> & {
  /** That of the body's text; '' to recognise it. */
  encoding?: string
  /** Where the list lies in a JSON document, such as `$.deals.dr`; '' to find it. */
  listPath?: string
  /** Whether the body lists everything, so that what it leaves out is hidden; and that this may be more than half of all. */
  missing?: ImportQuery['missing']
  confirm?: boolean
  /** Whether the prices that it states are kept as history; they are unless given. */
  history?: ImportQuery['history']
  /** Where the body comes from, for the history: a file's name, or 'http'. */
  source: string
  /** The administrator who hands it in, or what else does, such as a token; the command line unless given. */
  by?: Actor | string
  /** What the body may ask, by where it comes from. */
  limits: BodyLimits
  /** Whether rows that state another currency or marketplace are staged, and marked, rather than refused: `screen` takes them out. */
  marksOtherShops?: boolean
  /** Looks at what was read once all of it is staged, in tables. What it throws ends the import, with nothing merged. */
  screen?: (staged: Staged) => Promise<void>
  /** Whether an import that changed and refused nothing is left out of the history: it is one of very many. Not where prices name it. */
  forgetsUnchanged?: boolean
  /** Hears the id of the import in the history. */
  onRecorded?: (importId: number) => void
  /** Ends the import early. What has been merged by then stays. */
  signal?: AbortSignal
  onProgress?: (progress: ImportProgress) => void
}

const sessionLost =
  'The import lost its session of the database before it was complete, as a pooler in transaction mode does it. Set pool_mode = session there, and hand it in again.'

/**
 * Imports a body of any accepted format: good rows land, bad ones are reported, the same body again changes nothing.
 * Nothing lands before the whole body has been read. Throws an AppError when it can't be read at all, and the signal's
 * reason soon after that is aborted.
 */
export async function importBody(
  deps: IngestDeps,
  body: Bytes,
  options: ImportOptions,
): Promise<ImportResult> {
  const startedAt = deps.clock()
  const { signal } = options
  if (options.marksOtherShops && !options.screen) throw new Error('Nobody takes the marked rows out')
  const needsTable = options.missing === 'hide' || options.screen !== undefined
  const staging = new Staging(deps.databases, startedAt.getTime() * 1000, signal, needsTable)
  try {
    const reading = openBody(deps.marketplace, body, options)
    const rulesOf = (): MergeRules => {
      const { fields, availableFlag } = reading.mapping
      return {
        domain: deps.marketplace.domain,
        hasOriginalPrice: fields.original_price !== undefined,
        hasAvailability:
          fields.availability !== undefined || availableFlag !== undefined || options.availability !== '',
        keepsHistory: options.history !== 'none',
        importId: null,
      }
    }
    const staged = await stage(reading, staging, options, rulesOf)
    const { received, rejects, refused, otherShops, unbelieved } = staged
    staging.withdrawOriginals(reading.withdrawnOriginals())
    const { dry_run: isDry, confirm: isConfirmed = false } = options
    const now = startedAt.getTime() * 1000
    const plan = { refused, now, isConfirmed, isDry, number: numberText(deps.marketplace) }
    const hiding = options.missing === 'hide' ? await planHiding(deps.databases, staging, plan) : null
    const rules = { ...rulesOf(), importId: isDry ? null : await reserveImportId(deps.databases) }
    const { hasOriginalPrice: originalPrice, hasAvailability: availability } = rules
    const has = { originalPrice, availability }
    const reject = (row: ImportReject) => rejects.add(row)
    await options.screen?.({ parts: await staging.finish(), refused, has, otherShops, reject })
    if (unbelieved > 0) await staging.forgetUnbelieved()
    const { count: total } = staging
    const merged = await mergeStaged(deps.databases, staging, rules, {
      isDry: options.dry_run,
      onProgress: (done) => options.onProgress?.({ phase: 'storing', done, total }),
    })
    if (rules.importId !== null) await hiding?.hide(rules.importId, rules.keepsHistory)
    const result: ImportResult = {
      received,
      created: merged.created,
      updated: merged.updated,
      unchanged: merged.unchanged,
      superseded: merged.superseded,
      ...rejects.report(),
      hidden_without_availability: merged.hidden,
      hidden_over: merged.over,
      missing: hiding?.missing ?? null,
      mapping: reading.mappedNames(),
      notes: reading.notes(),
      dry_run: options.dry_run,
    }
    const { created, updated, rejected_total: rejected } = result
    const isForgotten = options.forgetsUnchanged && created + updated + rejected + merged.points === 0
    if (rules.importId !== null && !isForgotten) {
      await recordImport(await staging.connection(), rules.importId, options, startedAt, result)
      options.onRecorded?.(rules.importId)
    }
    return result
  } catch (error) {
    // A cancelled statement is not the reason, only its consequence.
    signal?.throwIfAborted()
    throw isSessionLost(error) ? new AppError('DATABASE_UNAVAILABLE', sessionLost, { cause: error }) : error
  } finally {
    staging.close()
  }
}

/** What a body that nobody has looked at may ask, as one that is sent does. */
export const unseenBodies: BodyLimits = sentBodies

/** How the first rows of such a body would be understood. Throws an AppError when it can't be read at all. */
export function previewUnseen(
  deps: Pick<IngestDeps, 'marketplace'>,
  body: Bytes,
  options: Omit<PreviewOptions, 'limits'>,
): Promise<ImportPreview> {
  return previewBody(deps, body, { ...options, limits: unseenBodies })
}

/** Reads the whole body into the staging table. */
async function stage(
  reading: Body,
  staging: Staging,
  options: ImportOptions,
  rulesOf: () => MergeRules,
): Promise<
  Record<'received' | 'otherShops' | 'unbelieved', number> & { rejects: Rejects; refused: RefusedItems }
> {
  const rejects = new Rejects()
  const refused = new RefusedItems(options.missing === 'hide')
  let [received, otherShops, unbelieved] = [0, 0, 0]
  for await (const batch of reading.batches()) {
    for (const { result } of batch) {
      received += 1
      if (result.deal) {
        staging.add(received, result.deal)
        if (isOfOtherShop(result.deal)) otherShops += 1
        if (result.deal.is_original_doubtful === null) unbelieved += 1
      } else {
        rejects.add({ row: received, ...result.refusal })
        if (options.missing === 'hide' || options.screen) refused.add(result.refusal.asin, result.isElsewhere)
      }
    }
    await staging.flush()
    staging.compareEarly(rulesOf())
    options.onProgress?.({ phase: 'reading', rows: received })
  }
  return { received, rejects, refused, otherShops, unbelieved }
}

/**
 * Makes a token that may import deals. Its text is returned here once; only its SHA-256 is stored. Throws CONFLICT when there is no room
 * for more.
 */
export async function createToken(
  { durableDb }: Databases,
  name: string,
  actor: Actor,
): Promise<IngestToken & { token: string }> {
  const token = `dd_${randomBytes(32).toString('base64url')}`
  return durableDb.transaction().execute(async (transaction) => {
    const { count } = await transaction
      .selectFrom('ingest_tokens')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= mostTokens)
      throw new AppError(
        'CONFLICT',
        `There are ${mostTokens} tokens, and no room for more. Remove some first.`,
      )
    const { id, created_at } = await transaction
      .insertInto('ingest_tokens')
      .values({ name, token_hash: hashToken(token), created_by: actor.id })
      .returning(['id', 'created_at'])
      .executeTakeFirstOrThrow()
    const subject = { kind: 'ingest_token' as const, id, name }
    await recordChange(transaction, { actor, action: 'add', subject, before: null, after: { name } })
    return { id, name, created_at: created_at.toISOString(), last_used_at: null, token }
  })
}

/** Makes a token worthless at once, for what it is just handing in as well. Throws NOT_FOUND. */
export async function removeToken({ durableDb }: Databases, id: number, actor: Actor): Promise<void> {
  await durableDb.transaction().execute(async (transaction) => {
    const removed = await transaction
      .deleteFrom('ingest_tokens')
      .where('id', '=', id)
      .returning(['name', 'last_used_at'])
      .executeTakeFirst()
    if (!removed) throw new AppError('NOT_FOUND', 'This token no longer exists.')
    const { name, last_used_at } = removed
    const before = { name, last_used_at: last_used_at?.toISOString() ?? null }
    const subject = { kind: 'ingest_token' as const, id, name }
    await recordChange(transaction, { actor, action: 'remove', subject, before, after: null })
    await notifyToken(transaction, id)
  })
}
