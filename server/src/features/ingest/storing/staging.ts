import pg from 'pg'
import type { Databases } from '../../../platform/database.ts'
import type { DealRow } from '../reading/deal-row.ts'
import type { Microseconds } from '../reading/times.ts'
import { copyLine } from './copy-text.ts'
import { Lane } from './lane.ts'
import { Turns } from './turns.ts'

/** Bytes kept here before a connection is taken, and before a second one is worth its while. */
const keptBytes = 1024 * 1024
const secondFrom = 8 * 1024 * 1024

const turns = new WeakMap<pg.Pool, Turns>()

/** Staged rows of some items, all rows of each: `count` of them, in the temporary table of a connection. */
export type StagedPart = { client: pg.ClientBase; count: number }

/**
 * The rows of one import on their way into tables of their own, where they wait until the whole body has proved
 * readable. A small body takes a connection only at its end, so slow senders don't hold one; a large one takes two,
 * with half of the items each. Always `close` it.
 */
export class Staging {
  private readonly databases: Databases
  private readonly now: Microseconds
  private readonly first = new Lane()
  private readonly second = new Lane()
  private endTurn: (() => void) | undefined

  constructor(databases: Databases, now: Microseconds) {
    this.databases = databases
    this.now = now
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
    if (!first.isOpen && first.keptBytes + second.keptBytes > keptBytes) await this.openFirst()
    if (!second.isOpen && second.keptBytes > secondFrom) await this.openSecond()
    await first.send()
    await second.send()
  }

  /** Completes the tables and gives what lies in them; the connections stay this object's. */
  async finish(): Promise<StagedPart[]> {
    const { first, second } = this
    if (!second.isOpen) second.pour(first)
    if (!first.isOpen) await this.openFirst()
    const lanes = [first, second].filter((lane) => lane.isOpen)
    const parts = lanes.map(async (lane) => ({ client: await lane.finish(), count: lane.count }))
    return (await Promise.all(parts)).filter((part) => part.count > 0)
  }

  /** Gives the connections back; what was staged and not merged is gone. */
  async close(): Promise<void> {
    this.first.close()
    this.second.close()
    this.endTurn?.()
    this.endTurn = undefined
  }

  private async openFirst(): Promise<void> {
    const { importPool } = this.databases
    let queue = turns.get(importPool)
    if (!queue) {
      queue = new Turns(importPool.options.max)
      turns.set(importPool, queue)
    }
    this.endTurn = await queue.take()
    const client = await importPool.connect()
    await this.first.open({ client, release: (error) => client.release(error) })
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
    await this.second.open({ client, release: () => void client.end().catch(() => undefined) })
  }
}
