import type { RunContext, SourceDocument } from '../src/features/sources/kinds/source-kind.ts'
import type { SourceDeps } from '../src/features/sources/running/source-deps.ts'
import type { Databases } from '../src/platform/database/database.ts'
import { runNow, testSources } from './sources.ts'

/** What sources need of which each poll brings a document of its own; `usual` is what its documents are like where nothing else is said. */
export function pollSources(databases: Databases, usual: Partial<SourceDocument> = {}) {
  let document: SourceDocument = { body: [], isWhole: true, listsAll: false }
  const run = async (context: RunContext) => {
    await context.hand(document)
    return { state: 'done' as const }
  }
  const deps: SourceDeps = testSources(databases, run)
  /** What became of a document that a source had at this time, as the row of its run. */
  const poll = (source: number, rows: object[], more: Partial<SourceDocument> = {}) => {
    document = { isWhole: true, listsAll: false, ...usual, ...more, body: rows }
    return runNow(deps, source)
  }
  return { deps, poll }
}
