import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Databases } from '../../../platform/database/database.ts'
import type { Cancelling } from './cancelling.ts'

/** Imports of so many rows are worth a second connection. */
export const flushedFrom = 50_000

const pauseMs = 500

/**
 * While a large import writes, moves the pending list of the GIN index `deals_words` into the index, on a connection of
 * its own: in bulk that costs a quarter of doing it row by row, and a second core does it. Stop it before the import ends.
 */
export class GinPendingListFlusher {
  private readonly client: pg.Client
  private readonly cancelling: Cancelling
  private readonly loop: Promise<void>
  private readonly pause = new AbortController()
  private isStopped = false
  private created = 0

  constructor(databases: Databases, cancelling: Cancelling) {
    this.cancelling = cancelling
    this.client = new pg.Client({
      connectionString: databases.url,
      stream: () => databases.watch.patientSocket(),
      application_name: 'dealdeck',
    })
    // A lost connection ends the flushing, not the process: the index is complete without it, only slower to search.
    this.client.on('error', () => this.halt())
    this.loop = this.flush().catch(() => this.halt())
  }

  /** Flushes once more, so that searches are quick when the import is done, which has created so many deals. */
  async stop(created: number): Promise<void> {
    this.created = created
    this.halt()
    await this.loop
    await this.client.end().catch(() => undefined)
  }

  private halt(): void {
    this.isStopped = true
    this.pause.abort()
  }

  private async flush(): Promise<void> {
    await this.client.connect()
    this.cancelling.add(this.client)
    await this.client.query("set maintenance_work_mem = '256MB'")
    for (let isLast = false; !isLast; ) {
      isLast = this.isStopped
      await this.client.query("select gin_clean_pending_list('deals_words')")
      if (!this.isStopped)
        await sleep(pauseMs, undefined, { signal: this.pause.signal }).catch(() => undefined)
    }
    // Autovacuum would get to it within a minute; until then searches would be planned for the table as it was. Where the table has
    // hardly grown that is no loss, and a second for nothing.
    const grown = await this.client.query(
      "select from pg_class where oid = 'deals'::regclass and reltuples < 10 * $1::bigint",
      [this.created],
    )
    if (grown.rows.length > 0) await this.client.query('analyze deals, title_words')
  }
}
