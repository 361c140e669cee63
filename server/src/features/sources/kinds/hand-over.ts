import { AppError } from '../../../platform/errors.ts'
import type { Handed, RunContext, RunOutcome, SourceDocument } from './source-kind.ts'

/**
 * Has a document imported. What the importer can't read is an end of the run, with the reason; all else, such as a database
 * that is away, is thrown.
 */
export async function handOver(
  context: RunContext,
  document: SourceDocument,
): Promise<{ handed: Handed; outcome?: undefined } | { outcome: RunOutcome; handed?: undefined }> {
  try {
    return { handed: await context.hand(document) }
  } catch (error) {
    const isUnreadable =
      error instanceof AppError &&
      /^(?:INVALID_INPUT|UNSUPPORTED_MEDIA_TYPE|PAYLOAD_TOO_LARGE)$/.test(error.code)
    if (!isUnreadable) throw error
    return { outcome: { state: 'failed', text: error.message } }
  }
}
