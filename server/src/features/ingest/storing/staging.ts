import pg from 'pg'
import { type Databases, readyForImport } from '../../../platform/database/database.ts'
import type { MergeRules, StagedPart } from '../../deals/writing/merge-sql.ts'
import type { DealRow } from '../reading/deal-row.ts'
import type { Withdrawn } from '../reading/originals.ts'
import type { Microseconds } from '../reading/times.ts'
import { Cancelling } from './cancelling.ts'
import { copyLine } from './copy-text.ts'
import { EarlyComparison } from './early-comparison.ts'
import { allOf, indexRows, Lane, type Lent } from './lane.ts'

/** Bytes buffered here before a connection is taken, and before a second one is worth its while. */
const mostBufferedBytes = 1024 * 1024
const secondFrom = 8 * 1024 * 1024
/** So many rows go along with the statements: a table for them costs more than to merge them. */
export const mostUnstored = 200

/**
 * The rows of one import on their way into tables of their own, where they wait until the whole body has proved
 * readable. A small body takes a connection only at its end, so slow senders don't hold one; a large one takes two,
 * with half of the items each. Once the signal is aborted, everything on them fails. Always `close` it.
 */
export class Staging {
  private readonly databases: Databases
  private readonly now: Microseconds
  readonly signal: AbortSignal | undefined
  private readonly first = new Lane()
  private readonly second = new Lane()
  private readonly early = [this.first, this.second].map((lane) => new EarlyComparison(lane))
  readonly cancelling: Cancelling
  private withdrawn: Withdrawn = { values: [], isDoubtful: false }
  private readonly needsTable: boolean
  private parts: Promise<StagedPart[]> | undefined

  /** `needsTable`: whether somebody looks for single rows in what is staged before it is merged. */
  constructor(databases: Databases, now: Microseconds, signal?: AbortSignal, needsTable = false) {
    this.databases = databases
    this.needsTable = needsTable
    this.now = now
    this.signal = signal
    this.cancelling = new Cancelling(signal)
  }

  get count(): number {
    return this.first.count + this.second.count
  }

  add(rowNumber: number, deal: DealRow): void {
    // The last signs of an item's ID are as good as drawn by lot.
    const lane = deal.asin.charCodeAt(9) % 2 === 0 ? this.first : this.second
    lane.add(copyLine(rowNumber, deal, this.now))
  }

  /** Hands on what has been added; waits while the database is slower than the body. */
  async flush(): Promise<void> {
    const { first, second } = this
    if (!first.isOpen && first.bufferedBytes + second.bufferedBytes > mostBufferedBytes)
      await this.openFirst(true)
    if (!second.isOpen && second.bufferedBytes > secondFrom) await this.openSecond()
    await first.send(this.signal)
    await second.send(this.signal)
  }

  /** Has rows of a large body compared while further ones are read, by the rules as far as they are known. */
  compareEarly(rules: MergeRules): void {
    // Where rows are taken out beforehand, what was found would include them.
    if (this.needsTable || !this.second.isOpen || this.first.isLooking || this.second.isLooking) return
    const [one, other] = this.early
    if (one && other) (one.waiting >= other.waiting ? one : other).go(rules)
  }

  /** Rows with such an original price will have none: only the whole body shows that it isn't one. */
  withdrawOriginals(originals: Withdrawn): void {
    this.withdrawn = originals
  }

  /** Completes the tables, once, each with all rows of some items; the connections stay this object's. */
  finish(): Promise<StagedPart[]> {
    this.parts ??= this.complete()
    return this.parts
  }

  /** Takes out the original prices that aren't believed, once somebody has looked at what is staged. */
  async forgetUnbelieved(): Promise<void> {
    for (const part of await this.finish()) {
      part.noted = undefined
      const { client, table } = part
      await client.query(`update ${table} set original_price = null where is_original_doubtful is null`)
    }
  }

  /** A connection that everything staged was on, once that is merged; nothing of it is lost as long as that lasts. */
  async connection(): Promise<pg.ClientBase> {
    await this.finish()
    return this.first.client
  }

  /** Gives the connections back; what was staged and not merged is gone. */
  close(): void {
    this.cancelling.stop()
    // A cancel may still be on its way to them.
    for (const lane of [this.first, this.second]) lane.close(this.signal?.aborted)
  }

  private async complete(): Promise<StagedPart[]> {
    const { first, second, withdrawn } = this
    if (!second.isOpen) second.pour(first)
    const isAsRead = withdrawn.values.length === 0 && !withdrawn.isDoubtful
    if (!first.isOpen && first.count <= mostUnstored && isAsRead && !this.needsTable)
      return [first.openUnstored(await this.borrow(), this.cancelling)]
    if (!first.isOpen) await this.openFirst(false)
    const lanes = [first, second].filter((lane) => lane.isOpen)
    return allOf(
      lanes.map(async (lane, at) => {
        const part = await lane.finish(this.withdrawn, this.signal)
        if (this.needsTable) await indexRows(part)
        return isAsRead ? { ...part, noted: this.early[at]?.noted } : part
      }),
    )
  }

  private async openFirst(isLarge: boolean): Promise<void> {
    await this.first.open(await this.borrow(), this.cancelling, isLarge)
  }

  private async borrow(): Promise<Lent> {
    const client = await this.databases.patientPool.connect()
    return { client, release: (error) => client.release(error) }
  }

  private async openSecond(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.databases.url,
      stream: () => this.databases.watch.patientSocket(),
      application_name: 'dealdeck',
    })
    // Heard for good: ending a connection that was lost complains as well.
    client.on('error', () => undefined)
    await client.connect()
    await readyForImport(client)
    const release = () => void client.end().catch(() => undefined)
    await this.second.open({ client, release }, this.cancelling, true)
  }
}
