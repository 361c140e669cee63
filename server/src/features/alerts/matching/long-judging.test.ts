import type pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { importRows, makeReader, readDeliveries, row, steps } from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import type { Handler } from '../../deals/following/follower.ts'
import { matcher } from './matcher.ts'

/** So many times faster than everywhere else time passes here: 15 seconds of a transaction are 375 ms. */
const faster = 40

/** A question of which nothing finds deals, so that each is tried with all of it; its last part alone fails. */
const dear = (at: number) =>
  `${Array.from({ length: 37 }, (_, part) => `-${at.toString(36)}q${part.toString(36)}s`).join(' ')} -folding`

test('alerts that take long to judge don’t end the transaction in which that is done', async () => {
  const databases = await testDatabases()
  await makeReader(databases, 'lamp price:<20', ...Array.from({ length: 150 }, (_, at) => dear(at)))
  const judge = matcher({ clock: () => new Date() })
  const impatient: Handler = async (changes, client: pg.ClientBase) => {
    await client.query(`set local idle_in_transaction_session_timeout = ${15_000 / faster}`)
    return judge(changes, client)
  }
  const { begin, run } = steps(databases, impatient)
  await begin()
  await importRows(databases, ...Array.from({ length: 600 }, () => row(nextAsin(), 25, 0)))
  await importRows(databases, row(nextAsin(), 15, 0))
  const now = performance.now.bind(performance)
  const passing = vi.spyOn(performance, 'now').mockImplementation(() => now() * faster)
  onTestFinished(() => passing.mockRestore())
  const begun = now()
  await run()
  // Or it would prove nothing.
  expect(now() - begun).toBeGreaterThan(15_000 / faster)
  expect(await readDeliveries(databases)).toHaveLength(1)
})
