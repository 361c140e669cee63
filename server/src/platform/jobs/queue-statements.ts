import type { Databases } from '../database/database.ts'

/**
 * Statements of the queue, one at a time, on connections that are always to be had: a lease must be kept while everything
 * else is busy. No commit waits for a standby, since a queue may be lost.
 */
export function oneByOne({ reservedPool, watch }: Databases) {
  let last: Promise<unknown> = Promise.resolve()
  return (text: string, values?: unknown[]) => {
    const result = last.then(() => {
      if (watch.state !== 'there') throw new Error('The database takes no changes')
      return reservedPool.query(text, values)
    })
    last = result.catch(() => {})
    return result
  }
}
