import type { ImportReject, ImportResult } from '@dealdeck/contract/ingest'

/** Refused rows that are listed one by one. */
const listedRejects = 10_000
/** Different reasons that are counted on their own. */
const listedReasons = 100

/** The refused rows: the first of them in full, all of them by reason. */
export class Rejects {
  private readonly list: ImportReject[] = []
  private readonly reasons = new Map<string, number>()
  private total = 0

  add(reject: ImportReject): void {
    this.total += 1
    if (this.list.length < listedRejects) this.list.push(reject)
    const known = this.reasons.has(reject.reason) || this.reasons.size < listedReasons
    const reason = known ? reject.reason : 'other reasons'
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1)
  }

  report(): Pick<ImportResult, 'rejected' | 'rejected_total' | 'rejected_by_reason'> {
    return {
      // Some are refused once all have been read.
      rejected: this.list.toSorted((one, other) => one.row - other.row),
      rejected_total: this.total,
      rejected_by_reason: Object.fromEntries(this.reasons),
    }
  }
}
