import { expect, test } from 'vitest'
import { buildTestApp } from '../../../../testing/app.ts'
import { makeDestination } from '../../../../testing/destinations.ts'
import { makeDeal } from '../../../../testing/factories.ts'

const { app, databases, signIn } = await buildTestApp()
const { headers, user } = await signIn('user')
const own = () => makeDestination(databases, { owner: user.id })

async function save(destination_id: number, deal_id: number, target_price: number, more: object = {}) {
  const payload = { destination_id, deal_id, target_price, ...more }
  const answer = await app.inject({ method: 'POST', url: '/api/alerts', headers, payload })
  return { status: answer.statusCode, body: answer.json() }
}
const change = (id: number, payload: object) =>
  app.inject({ method: 'PATCH', url: `/api/alerts/${id}`, headers, payload })

const toldOf = (destination: number) =>
  databases.db
    .selectFrom('deliveries as d')
    .innerJoin('delivery_deals as dd', 'dd.delivery_id', 'd.id')
    .select(['d.kind', 'd.state', 'dd.alert_ids'])
    .where('d.destination_id', '=', destination)
    .execute()

test('a target price that is changed and not reached yet is told of as a new one', async () => {
  const deal = await makeDeal(databases, { price: 30 })
  const { id } = (await save(await own(), deal.id, 35)).body
  const found = async (target_price: number) => {
    await change(id, { target_price })
    const { rows } = await databases.durablePool.query(
      'select is_matching, episode_id is not null as is_told from alert_matches where alert_id = $1',
      [id],
    )
    return rows[0]
  }
  expect(await found(32)).toEqual({ is_matching: true, is_told: true })
  expect(await found(29)).toEqual({ is_matching: false, is_told: false })
})

test('a target price that is reached when it is saved, raised or resumed is told of, once', async () => {
  const deal = await makeDeal(databases, { price: 30 })
  const wait = async (target_price: number) => {
    const destination = await own()
    const { id } = (await save(destination, deal.id, target_price)).body
    return {
      id,
      told: () => toldOf(destination),
      message: { kind: 'deal', state: 'queued', alert_ids: [id] },
    }
  }
  const reached = await wait(30)
  expect(await reached.told()).toEqual([reached.message])
  await change(reached.id, { target_price: 31 })
  expect(await reached.told()).toHaveLength(1)
  const raised = await wait(29)
  expect(await raised.told()).toEqual([])
  await change(raised.id, { target_price: 30.5 })
  expect(await raised.told()).toEqual([raised.message])
  const paused = await wait(29)
  await change(paused.id, { is_paused: true })
  await change(paused.id, { target_price: 31 })
  expect(await paused.told()).toEqual([])
  await change(paused.id, { is_paused: false })
  expect(await paused.told()).toEqual([paused.message])
})

test('a target price that is saved while its deal becomes cheaper is told of', async () => {
  const deal = await makeDeal(databases, { price: 30 })
  const destination = await own()
  const importing = await databases.durablePool.connect()
  await importing.query('begin')
  await importing.query('update deals set price = 20 where id = $1', [deal.id])
  const saved = save(destination, deal.id, 25)
  const waiting = () =>
    databases.customPlanPool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  await expect.poll(async () => (await waiting()).rowCount).toBe(1)
  await importing.query('commit')
  importing.release()
  expect((await saved).status).toBe(201)
  expect(await toldOf(destination)).toMatchObject([{ state: 'queued' }])
})

test('where a search told of the deal, a target price that is saved below that is told of too', async () => {
  const deal = await makeDeal(databases, { price: 96 })
  const destination = await own()
  await databases.durablePool.query(
    'insert into alert_episodes (destination_id, deal_id, price) values ($1, $2, 100)',
    [destination, deal.id],
  )
  const { id } = (await save(destination, deal.id, 97)).body
  const once = [{ kind: 'deal', state: 'queued', alert_ids: [id] }]
  expect(await toldOf(destination)).toEqual(once)
  const { rows } = await databases.durablePool.query(
    'select price from alert_episodes where destination_id = $1',
    [destination],
  )
  expect(rows).toEqual([{ price: 96 }])
  // Removed and brought back it has nothing else to say.
  await app.inject({ method: 'DELETE', url: `/api/alerts/${id}`, headers })
  expect((await save(destination, deal.id, 97)).status).toBe(201)
  expect(await toldOf(destination)).toHaveLength(1)
})

test('a target price whose message was left out is told of when it is resumed', async () => {
  const deal = await makeDeal(databases, { price: 30 })
  const destination = await own()
  const { id } = (await save(destination, deal.id, 31)).body
  await change(id, { is_paused: true })
  await databases.durablePool.query(
    `update deliveries set state = 'skipped', next_at = null where destination_id = $1`,
    [destination],
  )
  await change(id, { is_paused: false })
  expect((await toldOf(destination)).map(({ state }) => state).sort()).toEqual(['queued', 'skipped'])
})

test('a target price that is reached is told of as its options say, and not while it is paused', async () => {
  const deal = await makeDeal(databases, { price: 30 })
  const email = await makeDestination(databases, { owner: user.id, kind: 'email' })
  await save(email, deal.id, 31, { options: { mode: 'daily' } })
  expect(await toldOf(email)).toMatchObject([{ kind: 'digest', state: 'held' }])
  const destination = await own()
  await save(destination, deal.id, 31, { is_paused: true })
  expect(await toldOf(destination)).toEqual([])
})
