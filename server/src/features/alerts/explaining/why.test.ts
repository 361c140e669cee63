import type { Why } from '@dealdeck/contract/alerts'
import type { DeliveryState } from '@dealdeck/contract/deliveries'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../../testing/app.ts'
import { makeDelivery, makeDestination, makeSearch } from '../../../../testing/destinations.ts'
import { makeDeal } from '../../../../testing/factories.ts'

const { app, databases, signIn } = await buildTestApp()
const { headers, user } = await signIn('user')

const ask = async (query: string, by = headers) => {
  const answer = await app.inject({ url: `/api/alerts/why?${query}`, headers: by })
  const body: Why = answer.json()
  return { status: answer.statusCode, body }
}

/** A search with an alert, of a question. */
async function makeAlert(q: string, values: { owner?: number | null; search?: number } = {}) {
  const { owner = user.id } = values
  const search = values.search ?? (await makeSearch(databases, user.id, { q, is_shared: owner === null }))
  const destination = await makeDestination(databases, { owner })
  const { id } = await databases.durableDb
    .insertInto('alerts')
    .values({ search_id: search, destination_id: destination })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { search, destination, id }
}

/** That alerts have found a deal at $12.50, of which their destination was told then. */
const makeMatch = (destination: number, deal: number, alerts: readonly number[]) =>
  databases.durablePool.query(
    `with told as (insert into alert_episodes (destination_id, deal_id, price) values ($1, $2, 12.5) returning id)
     insert into alert_matches (alert_id, deal_id, episode_id, is_matching, price)
     select alert.id, $2, told.id, true, 12.5 from told, unnest($3::bigint[]) as alert (id)`,
    [destination, deal, alerts],
  )

async function setMessage(id: number, state: DeliveryState, reason = '', next: Date | null = null) {
  await databases.durableDb
    .updateTable('deliveries')
    .set({ state, reason, next_at: next, sent_at: new Date('2026-11-03T14:20:00Z') })
    .where('id', '=', id)
    .execute()
}

test('the parts of a question that a deal does not meet are said in words', async () => {
  const deal = await makeDeal(databases, { title: 'Enamel mug', price: 12.5 })
  const { search } = await makeAlert('mug price:<10 prime:yes')
  const { body } = await ask(`search=${search}&deal=${deal.id}`)
  expect(body.matches).toBe(false)
  expect(body.failed).toHaveLength(2)
  expect(body.failed[0]).toContain('$10')
  expect(body.delivery).toMatchObject({ state: 'none', reason: 'It does not match now, so it was not sent.' })
})

test('what became of a deal is said for each destination, the message first', async () => {
  const deal = await makeDeal(databases, { title: 'Enamel mug', price: 12.5 })
  const { search, destination, id } = await makeAlert('mug')
  const because = async () =>
    (await ask(`search=${search}&deal=${deal.id}&time_zone=Asia/Tokyo`)).body.delivery
  expect(await because()).toEqual({
    ...{ state: 'none', at: null, next_at: null },
    reason:
      'It began to match before the alert was made or its search was changed, or in a pause, so it was not sent.',
  })
  const message = await makeDelivery(databases, { destination, deals: [deal.id], alerts: [id] })
  const next = new Date('2026-11-04T06:00:00Z')
  await setMessage(message, 'held', 'Quiet hours until 07:00.', next)
  expect(await because()).toMatchObject({
    ...{ state: 'held', reason: 'Quiet hours until 07:00.', next_at: next.toISOString() },
  })
  await setMessage(message, 'sent')
  await makeMatch(destination, deal.id, [id])
  expect(await because()).toMatchObject({
    state: 'sent',
    reason: 'You were told of it on 3 November at 23:20, and its price has not fallen by 5 % since.',
  })
  await setMessage(message, 'dead', 'Nobody answers there.')
  expect((await because())?.reason).toBe('Nobody answers there.')
  await setMessage(message, 'skipped', 'It was over before it could be sent.')
  expect((await because())?.reason).toBe('It was over before it could be sent.')
  // A test is no message about a match.
  const test = await makeDelivery(databases, { destination, deals: [deal.id] })
  await databases.durablePool.query(`update deliveries set kind = 'test' where id = $1`, [test])
  expect((await because())?.state).toBe('skipped')
})

test('what was left out after a message, or for a list that was begun before, doesn’t stand for it; one of a new episode does', async () => {
  const deal = await makeDeal(databases, { title: 'Enamel mug', price: 12.5 })
  const { search, destination, id } = await makeAlert('mug')
  const message = async (episode: number, state: DeliveryState, reason = '') => {
    const made = await makeDelivery(databases, { destination, deals: [deal.id], alerts: [id] })
    await setMessage(made, state, reason)
    await databases.durablePool.query('update delivery_deals set episode_id = $2 where delivery_id = $1', [
      ...[made, episode],
    ])
    return made
  }
  const makeEpisode = async () => {
    const { rows } = await databases.durablePool.query<{ id: number }>(
      `insert into alert_episodes (destination_id, deal_id, price, closed_at) values ($1, $2, 12.5, now()) returning id`,
      [destination, deal.id],
    )
    return rows[0]?.id ?? 0
  }
  const because = async () => (await ask(`search=${search}&deal=${deal.id}`)).body.deliveries[0]
  const first = await makeEpisode()
  const sent = await message(first, 'sent')
  await message(first, 'skipped', 'It no longer matches.')
  expect(await because()).toMatchObject({
    ...{ delivery_id: sent, state: 'sent', reason: 'You were told of it on 3 November at 14:20.' },
  })
  const held = await message(first, 'held', 'Quiet hours until 07:00.')
  await message(first, 'skipped', 'Part of a list that is sent later.')
  expect(await because()).toMatchObject({ delivery_id: held, state: 'held' })
  await message(await makeEpisode(), 'skipped', 'The deal ended before it was sent.')
  expect(await because()).toMatchObject({ state: 'skipped', reason: 'The deal ended before it was sent.' })
})

test('a price has fallen far enough when matching says so: by the least that the destination’s alerts ask, in cents', async () => {
  const deal = await makeDeal(databases, { title: 'Enamel mug', price: 12.13 })
  const { search, destination, id } = await makeAlert('mug')
  const eager = await makeSearch(databases, user.id, { q: 'enamel' })
  const { rows } = await databases.durablePool.query<{ id: number }>(
    'insert into alerts (search_id, destination_id, again_percent) values ($1, $2, 3) returning id',
    [eager, destination],
  )
  await makeMatch(destination, deal.id, [id, ...rows.map((row) => row.id)])
  await setMessage(await makeDelivery(databases, { destination, deals: [deal.id], alerts: [id] }), 'sent')
  const because = async () => (await ask(`search=${search}&deal=${deal.id}`)).body.delivery?.reason
  const told = 'You were told of it on 3 November at 14:20'
  expect(await because()).toBe(`${told}, and its price has not fallen by 3 % since.`)
  await databases.durablePool.query('update deals set price = 12.12 where id = $1', [deal.id])
  expect(await because()).toBe(`${told}.`)
  // One that sends nothing asks for nothing.
  await databases.durablePool.query('update alerts set is_paused = true where search_id = $1', [eager])
  expect(await because()).toBe(`${told}, and its price has not fallen by 5 % since.`)
})

test('what keeps a match from being sent is said', async () => {
  const deal = await makeDeal(databases, { title: 'Enamel mug' })
  const { search, destination, id } = await makeAlert('mug')
  const because = async () => (await ask(`search=${search}&deal=${deal.id}`)).body.delivery?.reason
  const set = (text: string) => databases.durablePool.query(text)
  await set(`update destinations set is_paused = true where id = ${destination}`)
  expect(await because()).toBe('It was not sent, as the destination is paused.')
  await set(`update destinations set state = 'gone' where id = ${destination}`)
  expect(await because()).toBe('It was not sent, as the destination is there no more.')
  await set(`update destinations set state = 'unconfirmed' where id = ${destination}`)
  expect(await because()).toBe('It was not sent, as the destination is not confirmed yet.')
  await set(`update alerts set is_paused = true where id = ${id}`)
  expect(await because()).toBe('It was not sent, as this alert is paused.')
  await set(`update destinations set is_paused = false, state = 'ok' where id = ${destination}`)
  await set(`update alerts set is_paused = false where id = ${id}`)
  // What was missed in a pause is not sent after it.
  expect(await because()).toContain('or in a pause')
})

test('a target price says what it would have to cost', async () => {
  const deal = await makeDeal(databases, { price: 30 })
  const destination_id = await makeDestination(databases, { owner: user.id })
  const { id } = await databases.durableDb
    .insertInto('alerts')
    .values({ destination_id, deal_id: deal.id, target_price: 25 })
    .returning('id')
    .executeTakeFirstOrThrow()
  const asked = `alert=${id}&deal=${deal.id}`
  expect((await ask(asked)).body).toMatchObject({
    matches: false,
    failed: ['$25.00 or less (it costs $30.00)'],
  })
  await databases.durablePool.query('update deals set price = 24.99 where id = $1', [deal.id])
  expect((await ask(asked)).body).toMatchObject({ matches: true, failed: [] })
})

test('of a deal that ended it is said that it did, and what became of it', async () => {
  const deal = await makeDeal(databases, { title: 'Enamel mug', is_over: true })
  const { search, destination, id } = await makeAlert('mug')
  const message = await makeDelivery(databases, { destination, deals: [deal.id], alerts: [id] })
  await setMessage(message, 'sent')
  const { body } = await ask(`search=${search}&deal=${deal.id}`)
  expect(body).toMatchObject({
    ...{ matches: false, failed: ['not over (it ended, or is out of stock)'] },
    deliveries: [{ delivery_id: message, reason: 'You were told of it on 3 November at 14:20.' }],
  })
})

test('of a hidden deal nothing is said but that, to administrators too, as of one that is not there', async () => {
  const admin = await signIn('admin')
  const deal = await makeDeal(databases, { title: 'Enamel mug', hidden_at: new Date() })
  const { search, destination, id } = await makeAlert('mug', { owner: null })
  await makeDelivery(databases, { destination, deals: [deal.id], alerts: [id] })
  const nothing = { matches: false, failed: ['not shown to members'], deliveries: [], delivery: null }
  for (const by of [headers, admin.headers])
    for (const one of [deal.id, 999_999])
      expect((await ask(`search=${search}&deal=${one}`, by)).body).toEqual(nothing)
})

test('only one’s own searches, alerts and destinations are told of', async () => {
  const deal = await makeDeal(databases, { title: 'Enamel mug' })
  const other = await signIn('user')
  const theirs = await makeSearch(databases, other.user.id, { q: 'mug' })
  expect((await ask(`search=${theirs}&deal=${deal.id}`)).status).toBe(404)
  const { search, id } = await makeAlert('mug')
  expect((await ask(`alert=${id}&deal=${deal.id}`, other.headers)).status).toBe(404)
  expect((await ask(`deal=${deal.id}`)).status).toBe(400)
  await databases.durablePool.query('update saved_searches set is_shared = true where id = $1', [search])
  const shared = await ask(`search=${search}&deal=${deal.id}`, other.headers)
  expect(shared.body).toMatchObject({ matches: true, deliveries: [] })
})
