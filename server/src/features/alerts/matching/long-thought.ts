import type pg from 'pg'
import { TimeSlice } from '../../../platform/time-slice.ts'

/** So often the database is asked something meanwhile, in milliseconds: it ends a transaction that asks nothing for 15 seconds. */
const askEveryMs = 3_000

/** For long work in the middle of a transaction: between its pieces others have their turn, and the database hears that it goes on. */
export class LongThought {
  readonly #client: Pick<pg.ClientBase, 'query'>
  readonly #slice = new TimeSlice()
  #askedAt = performance.now()

  constructor(client: Pick<pg.ClientBase, 'query'>) {
    this.#client = client
  }

  /** Call it between pieces. Throws what the database says. */
  async pause(): Promise<void> {
    await this.#slice.pause()
    if (performance.now() - this.#askedAt < askEveryMs) return
    await this.#client.query('select 1')
    this.#askedAt = performance.now()
  }
}
