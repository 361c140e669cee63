import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../../testing/app.ts'
import { makeDelivery, makeDestination } from '../../../../testing/destinations.ts'
import { makeDeal } from '../../../../testing/factories.ts'

const { app, databases, signIn } = await buildTestApp()
const member = await signIn('user')
const admin = await signIn('admin')
const url = '/api/alerts/peace'

const read = async ({ headers }: SignedIn, query = '') =>
  (await app.inject({ url: `${url}${query}`, headers })).json()
const change = async ({ headers }: SignedIn, payload: object) => {
  const answer = await app.inject({ method: 'PATCH', url, headers, payload })
  return { status: answer.statusCode, body: answer.json() }
}

test('peace begins without quiet hours, and what is given of it is changed', async () => {
  const initial = await read(member)
  expect(initial).toMatchObject({
    ...{ time_zone: 'UTC', follows_device: true, quiet_from: null, quiet_to: null, paused_until: null },
    ...{ digest_at: '08:00', digest_weekday: 1, most_at_once: 5 },
  })
  const quiet = { quiet_from: '22:30', quiet_to: '07:00', time_zone: 'Asia/Kathmandu' }
  expect((await change(member, quiet)).body).toEqual({ ...initial, ...quiet })
  const paused = { paused_until: '2030-01-02T03:04:05.000Z', follows_device: false }
  expect((await change(member, paused)).body).toEqual({ ...initial, ...quiet, ...paused })
  expect(await read(member)).toEqual({ ...initial, ...quiet, ...paused })
  expect(await read(admin)).toEqual(initial)
})

test('quiet hours have two ends that differ', async () => {
  const other = await signIn('user')
  const half = await change(other, { quiet_from: '22:00' })
  expect([half.status, half.body.fields]).toEqual([
    400,
    { quiet_to: 'must be given together with the other end of the quiet hours' },
  ])
  const empty = await change(other, { quiet_from: '22:00', quiet_to: '22:00' })
  expect(empty.body.fields).toEqual({
    quiet_to: 'must be another time than the beginning of the quiet hours',
  })
  const wrong = await change(other, { time_zone: 'Mars/Olympus', quiet_from: '25:00', quiet_to: '7' })
  expect(Object.keys(wrong.body.fields).sort()).toEqual(['quiet_from', 'quiet_to', 'time_zone'])
})

test('the group’s is for administrators, and audited', async () => {
  expect((await change(member, { is_group: true, most_an_hour: 3 })).status).toBe(403)
  expect((await read(member, '?is_group=true')).code).toBe('FORBIDDEN')
  await change(admin, { is_group: true, most_an_hour: 3 })
  expect((await read(admin, '?is_group=true')).most_an_hour).toBe(3)
  expect((await read(admin)).most_an_hour).not.toBe(3)
  const audit = await app.inject({ url: '/api/audit?kind=alert', headers: admin.headers })
  expect(audit.json().items).toMatchObject([
    { subject: { name: 'Quiet times of the group' }, after: { most_an_hour: 3 } },
  ])
})

test('what waits is looked at anew when the hours are others', async () => {
  const other = await signIn('user')
  const later = new Date(Date.now() + 3_600_000)
  const hold = async (owner: number, cause = 'quiet') => {
    const destination = await makeDestination(databases, { owner })
    const id = await makeDelivery(databases, { destination, kind: 'list' })
    await databases.durablePool.query(
      `update deliveries set state = 'held', next_at = $2, collected_for = $3::text, waits_for = nullif($3::text, 'hour'),
         reason = 'Whatever people read.' where id = $1`,
      [id, later, cause],
    )
    return id
  }
  const [own, theirs] = [await hold(other.user.id), await hold(member.user.id)]
  const hourly = await hold(other.user.id, 'hour')
  const isDue = async (id: number) =>
    (await databases.durablePool.query('select from deliveries where id = $1 and next_at <= now()', [id]))
      .rowCount
  await change(other, { most_an_hour: 10 })
  expect(await isDue(own)).toBe(0)
  await change(other, { quiet_from: '01:00', quiet_to: '02:00' })
  await expect.poll(() => isDue(own)).toBe(1)
  expect([await isDue(theirs), await isDue(hourly)]).toEqual([0, 0])
})

test('a digest that is being collected comes at the time that is wanted now, as one', async () => {
  const other = await signIn('user')
  await change(other, { time_zone: 'UTC', digest_at: '08:00', follows_device: false })
  const destination = await makeDestination(databases, { owner: other.user.id })
  const collect = async (until: string, mode: string) => {
    const { id: deal } = await makeDeal(databases)
    const id = await makeDelivery(databases, { destination, kind: 'digest', deals: [deal] })
    await databases.durablePool.query(
      `update deliveries set state = 'held', next_at = $2, collected_for = $3, reason = 'Later.' where id = $1`,
      [id, until, mode],
    )
  }
  const held = async () => {
    const { rows } = await databases.durablePool.query(
      `select y.next_at, y.collected_for, count(l.*)::int as deals from deliveries y join delivery_deals l on l.delivery_id = y.id
       where destination_id = $1 and y.state = 'held' group by y.id order by y.next_at`,
      [destination],
    )
    return rows.map(({ next_at, collected_for, deals }) => [
      ...[next_at.toISOString().slice(11, 16), collected_for, deals],
    ])
  }
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  await collect(`${tomorrow}T08:00:00Z`, 'daily')
  await change(other, { most_an_hour: 7 })
  expect(await held()).toEqual([['08:00', 'daily', 1]])
  // Two that were begun for different times are one from now on.
  await collect(`${tomorrow}T09:00:00Z`, 'daily')
  await change(other, { digest_at: '20:15' })
  expect(await held()).toEqual([['20:15', 'daily', 2]])
  // To the west, as to the east its time could be over by now.
  await change(other, { time_zone: 'America/Lima' })
  expect(await held()).toEqual([['01:15', 'daily', 2]])
  // A weekly one keeps to its day of the week.
  await collect(`${tomorrow}T03:00:00Z`, 'weekly')
  const digest_weekday = new Date(Date.now() + 3 * 86_400_000).getUTCDay() || 7
  await change(other, { digest_weekday, digest_at: '20:45' })
  expect(await held()).toEqual([
    ['01:45', 'daily', 2],
    ['01:45', 'weekly', 1],
  ])
})

test('a daily and a weekly digest that come at the same time are one, which says that it is of the week', async () => {
  const other = await signIn('user')
  const next = new Date()
  next.setUTCHours(8, 0, 0, 0)
  if (next.getTime() <= Date.now()) next.setUTCDate(next.getUTCDate() + 1)
  const later = new Date(next.getTime() + 2 * 86_400_000)
  const at = { time_zone: 'UTC', digest_at: '08:00', follows_device: false }
  await change(other, { ...at, digest_weekday: later.getUTCDay() || 7 })
  const destination = await makeDestination(databases, { owner: other.user.id })
  for (const [until, mode] of [
    [next, 'daily'],
    [later, 'weekly'],
  ]) {
    const { id: deal } = await makeDeal(databases)
    const id = await makeDelivery(databases, { destination, kind: 'digest', deals: [deal] })
    await databases.durablePool.query(
      `update deliveries set state = 'held', next_at = $2, collected_for = $3, reason = 'Later.' where id = $1`,
      [id, until, mode],
    )
  }
  await change(other, { digest_weekday: next.getUTCDay() || 7 })
  const { rows } = await databases.durablePool.query(
    `select y.next_at, y.collected_for, count(*)::int as deals from deliveries y join delivery_deals l on l.delivery_id = y.id
     where destination_id = $1 and y.state = 'held' group by y.id`,
    [destination],
  )
  expect(rows).toEqual([{ next_at: next, collected_for: 'weekly', deals: 2 }])
})
