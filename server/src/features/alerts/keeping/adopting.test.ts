import { expect, test } from 'vitest'
import { importRows, markSent, readDeliveries, row, steps } from '../../../../testing/alerts.ts'
import { buildTestApp } from '../../../../testing/app.ts'
import { makeDestination, makeSearch } from '../../../../testing/destinations.ts'
import { nextAsin } from '../../../../testing/factories.ts'
import { matcher } from '../matching/matcher.ts'

test('an alert that is removed and brought back goes on with what it found, and with nothing else', async () => {
  const { app, databases, signIn } = await buildTestApp()
  const { headers, user } = await signIn('user')
  const destination_id = await makeDestination(databases, { owner: user.id })
  const search = async (q: string) => {
    const search_id = await makeSearch(databases, user.id, { q, name: q })
    const add = async (): Promise<number> => {
      const payload = { destination_id, search_id }
      return (await app.inject({ method: 'POST', url: '/api/alerts', headers, payload })).json().id
    }
    const remove = (id: number) => app.inject({ method: 'DELETE', url: `/api/alerts/${id}`, headers })
    return { add, remove }
  }
  const [lamps, mugs] = [await search('lamp'), await search('mug')]
  const [firstLamps, firstMugs] = [await lamps.add(), await mugs.add()]
  const [lamp, mug] = [nextAsin(), nextAsin()]
  const { begin, run } = steps(databases, matcher({ clock: () => new Date() }))
  await begin()
  const cost = async (price: number, minutes: number) => {
    await importRows(databases, row(lamp, price, minutes), row(mug, price, minutes, { title: 'Tin mug' }))
    await run()
  }
  const told = async () =>
    (await readDeliveries(databases)).map(({ deal, post, alerts }) => ({ deal, post, alerts }))
  await cost(50, 0)
  const first = [
    { deal: lamp, post: 1, alerts: [firstLamps] },
    { deal: mug, post: 1, alerts: [firstMugs] },
  ]
  expect(await told()).toEqual(first)
  await lamps.remove(firstLamps)
  await mugs.remove(firstMugs)
  // Whatever keeps it from being sent meanwhile.
  const pause = (isPaused: boolean) =>
    databases.durablePool.query('update destinations set is_paused = $1', [isPaused])
  await pause(true)
  const again = await lamps.add()
  await pause(false)
  const adopted = [{ deal: lamp, post: 1, alerts: [again] }, first[1]]
  expect(await told()).toEqual(adopted)
  await markSent(databases)
  await cost(40, 1)
  expect(await told()).toEqual([...adopted, { deal: lamp, post: 2, alerts: [again] }])
})
