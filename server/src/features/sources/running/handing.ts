import type { ImportPreview } from '@dealdeck/contract/ingest'
import { importBody, previewUnseen, unseenBodies } from '../../ingest/actions.ts'
import { judgeRows, screen } from '../../quarantine/actions.ts'
import { type DocumentHistory, type ShrunkenPolls, shrunkenPolls } from '../../quarantine/rules.ts'
import type { Handed, SourceDocument } from '../kinds/source-kind.ts'
import { type BaselineChange, readBaseline } from './baseline.ts'
import { type Claim, type RunTotals, storeTotals } from './claims.ts'
import { DocumentTexts, type Screened } from './document-texts.ts'
import { rememberFresh, rememberListed } from './listing.ts'
import type { SourceDeps } from './source-deps.ts'

/** So long after the last document was read every price may be another, in milliseconds. */
const longAgoMs = 3 * 24 * 3_600_000

/** What a run has handed over so far. */
export type Progress = { phase: 'asking' | 'reading' | 'storing'; rows: number }

/** Takes what a kind hands over to the importer, and adds up what becomes of it. */
export class Handing {
  readonly #deps: SourceDeps
  readonly #claim: Claim
  readonly #signal: AbortSignal
  readonly #tell: (progress: Progress) => void
  readonly #documentTexts: DocumentTexts
  readonly #sizes: readonly number[]
  readonly #newSizes: number[] = []
  /** When its last whole document was read. */
  readonly #readAt: number | undefined
  #shrunken: ShrunkenPolls | null
  readonly texts: string[] = []
  readonly notes = new Set<string>()
  readonly totals: RunTotals = {
    ...{ received: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 },
    ...{ held: 0, refused_before: 0, ended: 0, import_ids: [] },
  }
  /** Whether some document lists all there is, and whether any gives reason to doubt what that leaves out. */
  listsAll = false
  isDoubtful = false
  /** Why no row of the document became a deal, where it is all that the source says: refused, or waiting for a person. Null where some did. */
  allRefused: string | null = null
  allHeld: string | null = null
  /** Rows that found no room to wait in. */
  unstored = 0
  #wholes = 0

  constructor(
    deps: SourceDeps,
    claim: Claim,
    { signal, tell }: { signal: AbortSignal; tell(progress: Progress): void },
  ) {
    this.#deps = deps
    this.#claim = claim
    this.#signal = signal
    this.#tell = tell
    this.#documentTexts = new DocumentTexts(deps.settings.MARKETPLACE)
    const { sizes, shrunken, read_at: readAt } = readBaseline(claim.source.baseline)
    this.#readAt = readAt === null ? undefined : Date.parse(readAt)
    this.#sizes = sizes
    this.#shrunken = shrunken
  }

  /** Whether what it says of prices becomes history: its service may forbid that. */
  get keepsHistory(): boolean {
    return this.#claim.source.keeps_history && this.#retention?.history !== false
  }

  get #retention() {
    return this.#deps.kinds.find(({ kind }) => kind === this.#claim.source.kind)?.retention
  }

  /** What the next documents are compared with. */
  get baseline(): BaselineChange {
    const { isDoubtful: is_doubtful, unstored } = this
    const read = this.#wholes > 0 && { read_at: this.#claim.startedAt.toISOString() }
    return { newSizes: this.#newSizes, is_doubtful, shrunken: this.#shrunken, unstored, ...read }
  }

  /** Imports a document, with what is doubtful of it held. Throws an AppError where it can't be read at all. */
  async hand(document: SourceDocument): Promise<Handed> {
    const { imports, databases, settings, clock } = this.#deps
    const { source, runId } = this.#claim
    const isWhole = (document.isWhole || document.listsAll) && this.#wholes++ === 0
    const turn = await imports.enter(`source ${source.id}`, this.#signal)
    let screened: Screened | undefined
    try {
      const ingest = { databases, clock, marketplace: settings.MARKETPLACE }
      const result = await importBody(ingest, bytesOf(document.body), {
        ...readingOf(document),
        ...{ dry_run: false, limits: unseenBodies, signal: this.#signal, forgetsUnchanged: true },
        // What a feed means by another currency only a person can know.
        marksOtherShops: true,
        ...{
          source: source.name,
          by: `source ${source.name}`,
          history: this.keepsHistory ? 'keep' : 'none',
        },
        screen: async (staged) => {
          if (document.listsAll && staged.refused.unnamed > 0) this.isDoubtful = true
          const listed = staged.parts.reduce((sum, { count }) => sum + count, 0)
          screened = await screen(staged, {
            ...{ sourceId: source.id, runId, signal: this.#signal },
            ...{ trusted: new Set(source.trusted_rules), refused: new Set(source.refused_rules) },
            marketplace: settings.MARKETPLACE,
            history: isWhole ? this.#history() : null,
            usual: document.usual,
            terms: this.#terms,
            // Listed is also what is about to be taken out; of a document that waits as a whole nobody knows.
            beforeHolding: async (fault) => {
              if (document.listsAll && !fault && listed > 0) await rememberListed(staged, this.#claim)
            },
          })
          if (this.#retention) await rememberFresh(staged, this.#claim, this.#retention.hiddenAfterHours)
        },
        onRecorded: (importId) => this.totals.import_ids.push(importId),
        onProgress: (progress) =>
          this.#tell(progress.phase === 'reading' ? progress : { phase: 'storing', rows: progress.done }),
      })
      const overtaken = result.superseded + (screened?.overtaken ?? 0)
      for (const note of [...result.notes, ...this.#documentTexts.overtaken(overtaken)]) this.notes.add(note)
      const { received, created, updated, unchanged, rejected_total: rejected } = result
      const handed = { received, created, updated, unchanged, rejected, held: screened?.held ?? 0 }
      if (isWhole) {
        this.allRefused = this.#documentTexts.refused(result)
        this.allHeld = this.#documentTexts.held(result, screened)
      }
      await this.#count(handed, screened, document, isWhole)
      return handed
    } finally {
      turn.end()
    }
  }

  /** What holds for a row of now whenever it is let through. */
  get #terms() {
    const { startedAt: listedAt } = this.#claim
    const hours = this.#retention?.hiddenAfterHours
    const hideAt = hours === undefined ? null : new Date(listedAt.getTime() + hours * 3_600_000)
    return { keepsHistory: this.keepsHistory, listedAt, hideAt }
  }

  #history(): DocumentHistory {
    const { source, startedAt } = this.#claim
    // Of a source that has said nothing yet the prices are those of others, and just as new.
    const last = this.#readAt ?? source.last_success_at?.getTime() ?? Number.POSITIVE_INFINITY
    return { sizes: this.#sizes, shrunken: this.#shrunken, isLongAgo: startedAt.getTime() - last > longAgoMs }
  }

  /** Remembers how large a whole document was: as one to compare with, or as another that was too short. */
  #measure({ counts: { items }, fault }: Screened): void {
    if (fault?.rule === 'shrunk') {
      this.#shrunken = shrunkenPolls(this.#shrunken, items)
    } else if (!fault) {
      this.#shrunken = null
      if (items > 0) this.#newSizes.push(items)
    }
  }

  async #count(
    handed: Handed,
    screened: Screened | undefined,
    { listsAll }: SourceDocument,
    isWhole: boolean,
  ): Promise<void> {
    const { totals } = this
    for (const name of ['received', 'created', 'updated', 'unchanged', 'rejected', 'held'] as const)
      totals[name] += handed[name]
    totals.refused_before += screened?.refusedBefore ?? 0
    this.unstored += screened?.unstored ?? 0
    this.#deps.figures.held += handed.held
    const isHeld = screened?.fault !== undefined
    if (isHeld || screened?.isShrunken || (isWhole && screened?.counts.items === 0)) this.isDoubtful = true
    if (listsAll) this.listsAll = true
    if (isWhole && screened) this.#measure(screened)
    this.texts.push(...this.#documentTexts.became(screened, isWhole ? this.allHeld : null))
    await storeTotals(this.#deps.databases.durablePool, this.#claim.runId, totals)
  }
}

/** What somebody said of a document, as an import has it. */
function readingOf({ map = '', encoding = '', availability = '', listPath = '' }: SourceDocument) {
  return { map, availability, encoding, listPath }
}

/** How a document of a source, stored or not yet, would be understood. Throws an AppError where it can't be read at all. */
export async function previewDocument(
  { databases, settings: { MARKETPLACE: marketplace } }: Pick<SourceDeps, 'databases' | 'settings'>,
  document: SourceDocument,
  { source, signal }: { source: Parameters<typeof judgeRows>[2]['source']; signal: AbortSignal },
): Promise<ImportPreview> {
  const judge = await judgeRows(databases, marketplace, { source, usual: document.usual })
  return previewUnseen({ marketplace }, bytesOf(document.body), { ...readingOf(document), judge, signal })
}

/** Bytes as they are, rows as a line of JSON each. */
async function* bytesOf(body: SourceDocument['body']): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let isEmpty = true
  for await (const piece of body) {
    isEmpty = false
    yield piece instanceof Uint8Array ? piece : encoder.encode(`${JSON.stringify(piece)}\n`)
  }
  // No rows are a list without any, where no bytes would be nothing at all.
  if (isEmpty) yield encoder.encode('[]')
}
