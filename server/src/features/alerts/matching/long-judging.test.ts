import { expect, onTestFinished, test, vi } from 'vitest'
import { importRows, makeReader, readDeliveries, row, steps } from '../../../../testing/alerts.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { matcher } from './matcher.ts'

/** So many times faster than everywhere else time passes here: 15 seconds of a transaction are 150 ms. */
const faster = 100
const longestSilenceMs = 15_000 / faster
/** Of this thread's work alone: a machine that is busy with something else makes no silence of it. */
const workedMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A question of which nothing finds deals, so that each is tried with all of it; its last part alone fails. */
const dear = (at: number) =>
  `${Array.from({ length: 37 }, (_, part) => `-${at.toString(36)}q${part.toString(36)}s`).join(' ')} -folding`

test('alerts that take long to judge don’t leave the database without a question for long', async () => {
  const databases = await testDatabases()
  await makeReader(databases, 'lamp price:<20', ...Array.from({ length: 150 }, (_, at) => dear(at)))
  const judge = matcher({ clock: () => new Date() })
  const silences: number[] = []
  const { begin, run } = steps(databases, (changes, client) => {
    let askedAt = workedMs()
    const watched = new Proxy(client, {
      get(target, name) {
        if (name === 'query') {
          silences.push(workedMs() - askedAt)
          askedAt = workedMs()
        }
        return Reflect.get(target, name)
      },
    })
    return judge(changes, watched)
  })
  await begin()
  await importRows(databases, ...Array.from({ length: 1_200 }, () => row(nextAsin(), 25, 0)))
  await importRows(databases, row(nextAsin(), 15, 0))
  const now = performance.now.bind(performance)
  const passing = vi.spyOn(performance, 'now').mockImplementation(() => now() * faster)
  onTestFinished(() => passing.mockRestore())
  await run()
  // Or it would prove nothing.
  expect(silences.reduce((all, one) => all + one, 0)).toBeGreaterThan(longestSilenceMs)
  expect(Math.max(...silences)).toBeLessThan(longestSilenceMs)
  expect(await readDeliveries(databases)).toHaveLength(1)
})
