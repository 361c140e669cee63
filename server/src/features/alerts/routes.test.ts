import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { makeDestination, makeSearch } from '../../../testing/destinations.ts'
import { makeDeal } from '../../../testing/factories.ts'

const { app, databases, signIn } = await buildTestApp()
const member = await signIn('user')
const admin = await signIn('admin')
const path = '/api/alerts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const callAs =
  ({ headers }: SignedIn) =>
  async (method: Method, url: string, payload?: object) => {
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }
const call = callAs(member)
const own = () => makeDestination(databases, { owner: member.user.id })
const initial = { mode: 'now', again_percent: 5, urgent_off: null, urgent_below: null }

test('an alert on a search is added, shown, changed and removed', async () => {
  const destination_id = await own()
  const search_id = await makeSearch(databases, member.user.id, { q: 'price:<10' })
  const { status, body } = await call('POST', path, { destination_id, search_id })
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({
      ...{ search_id, destination_id, name: 'Lanterns', q: 'price:<10', deal_id: null, target_price: null },
      ...{ is_group: false, is_paused: false, stopped: null, options: initial, last_matched_at: null },
    }),
  ])
  const one = `${path}/${body.id}`
  await call('PATCH', one, { options: { urgent_off: 50 } })
  // What isn't named stays.
  const changed = await call('PATCH', one, { options: { again_percent: 10 }, is_paused: true })
  expect(changed.body).toMatchObject({
    ...{ options: { ...initial, urgent_off: 50, again_percent: 10 }, is_paused: true },
  })
  expect((await call('GET', path)).body.items).toEqual([changed.body])
  const twice = await call('POST', path, { destination_id, search_id })
  expect([twice.status, twice.body.message]).toEqual([409, 'This goes to that destination already.'])
  expect((await call('DELETE', one)).status).toBe(204)
  expect((await call('GET', path)).body.items).toEqual([])
})

test('a target price is an alert of one deal', async () => {
  const deal = await makeDeal(databases, { title: 'Brass compass', price: 30 })
  const destination_id = await own()
  const { body } = await call('POST', path, { destination_id, deal_id: deal.id, target_price: 25 })
  expect(body).toMatchObject({ name: 'Brass compass', q: null, deal_id: deal.id, target_price: 25 })
  const target = { alert_id: body.id, deal_id: deal.id }
  await call('PATCH', `${path}/${body.id}`, { target_price: 20.5 })
  expect((await call('GET', `${path}/targets`)).body).toEqual([{ ...target, target_price: 20.5 }])
  expect((await callAs(admin)('GET', `${path}/targets`)).body).toEqual([])
  const search_id = await makeSearch(databases, member.user.id)
  const other = await call('POST', path, { destination_id, search_id })
  const wrong = await call('PATCH', `${path}/${other.body.id}`, { target_price: 5 })
  expect([wrong.status, wrong.body.fields]).toEqual([
    400,
    { target_price: 'is for a single deal, not for a search' },
  ])
  await databases.durablePool.query('update deals set hidden_at = now() where id = $1', [deal.id])
  expect((await call('GET', path)).body.items).toContainEqual(
    expect.objectContaining({ id: body.id, name: 'A deal that is not shown now' }),
  )
})

test('an alert is of what its maker has, and goes where they may send', async () => {
  const stranger = await signIn('user')
  const destination_id = await own()
  const theirs = await makeSearch(databases, stranger.user.id)
  const shared = await makeSearch(databases, stranger.user.id, { is_shared: true })
  const hidden = await makeDeal(databases, { hidden_at: new Date() })
  const statusOf = async (payload: object) => (await call('POST', path, payload)).status
  expect(await statusOf({ destination_id, search_id: theirs })).toBe(404)
  expect(await statusOf({ destination_id, search_id: shared })).toBe(201)
  expect(await statusOf({ destination_id, deal_id: hidden.id, target_price: 5 })).toBe(404)
  for (const owner of [null, stranger.user.id]) {
    const other = await makeDestination(databases, { owner })
    expect(await statusOf({ destination_id: other, search_id: shared })).toBe(404)
  }
  // The mode is for e-mail.
  const email = await makeDestination(databases, { owner: member.user.id, kind: 'email' })
  const options = { mode: 'daily' }
  expect(await statusOf({ destination_id: email, search_id: shared, options })).toBe(201)
  const digest = await call('POST', path, { destination_id: await own(), search_id: shared, options })
  expect([digest.status, digest.body.fields]).toEqual([
    400,
    { 'options.mode': 'must be now: digests come by e-mail only' },
  ])
  const asking = await makeSearch(databases, member.user.id, { q: 'is:hidden' })
  const refused = await call('POST', path, { destination_id, search_id: asking })
  expect([refused.status, refused.body.message]).toEqual([
    422,
    'This search asks for hidden deals, of which nothing is ever sent.',
  ])
})

test('to the group go shared searches only, and each change of it is in the audit list', async () => {
  const asAdmin = callAs(admin)
  const destination_id = await makeDestination(databases, { name: 'Channel' })
  const ownSearch = await makeSearch(databases, admin.user.id)
  const refused = await asAdmin('POST', path, { destination_id, search_id: ownSearch })
  expect([refused.status, refused.body.message]).toEqual([
    422,
    'Share this search first: only shared ones go to the group’s destinations.',
  ])
  const search_id = await makeSearch(databases, member.user.id, { is_shared: true, name: 'Ours' })
  const { body } = await asAdmin('POST', path, { destination_id, search_id })
  expect(body).toMatchObject({ is_group: true, name: 'Ours' })
  expect((await call('PATCH', `${path}/${body.id}`, { is_paused: true })).status).toBe(404)
  await asAdmin('PATCH', `${path}/${body.id}`, { is_paused: true })
  await asAdmin('DELETE', `${path}/${body.id}`)
  const audit = await asAdmin('GET', '/api/audit?kind=alert')
  expect(audit.body.items.map((entry: { action: string }) => entry.action)).toEqual([
    'remove',
    'change',
    'add',
  ])
  expect(audit.body.items[1]).toMatchObject({
    subject: { name: 'Ours' },
    before: { destination: 'Channel', is_paused: false },
    after: { is_paused: true },
  })
})

test('an alert of a search that is not shared any more says so, and nothing of the search', async () => {
  const stranger = await signIn('user')
  const search = await makeSearch(databases, stranger.user.id, { is_shared: true })
  const { body } = await call('POST', path, { destination_id: await own(), search_id: search })
  const group = await makeDestination(databases)
  const channel = await callAs(admin)('POST', path, { destination_id: group, search_id: search })
  await databases.durablePool.query(
    `update saved_searches set is_shared = false, name = 'My own', question = 'gift' where id = $1`,
    [search],
  )
  const shown = async () =>
    (await call('GET', path)).body.items.find((item: { id: number }) => item.id === body.id)
  expect(await shown()).toMatchObject({
    ...{ name: 'A search that is not shared any more', q: null },
    stopped: 'Nothing comes of it: its search is not shared any more.',
  })
  const { items } = (await callAs(admin)('GET', path)).body
  const ofGroup = items.find((item: { id: number }) => item.id === channel.body.id)
  expect([ofGroup.q, ofGroup.stopped]).toEqual([
    null,
    'Nothing comes of it: its search is not shared any more.',
  ])
  // Removed, it is out of sight until it is brought back.
  await databases.durablePool.query(
    'update saved_searches set is_shared = true, deleted_at = now() where id = $1',
    [search],
  )
  expect(await shown()).toBeUndefined()
  await databases.durablePool.query('update saved_searches set deleted_at = null where id = $1', [search])
  expect(await shown()).toMatchObject({ name: 'My own', stopped: null })
  await databases.durablePool.query(`update saved_searches set question = 'is:hidden' where id = $1`, [
    search,
  ])
  expect((await shown()).stopped).toContain('hidden deals')
})

test('what matches already is sent as one list where it is asked for, and once', async () => {
  const deals = [
    await makeDeal(databases, { title: 'Copper kettle', price: 40 }),
    await makeDeal(databases, { title: 'Copper kettle, large', price: 60 }),
  ]
  await makeDeal(databases, { title: 'Copper kettle, hidden', hidden_at: new Date() })
  const destination_id = await own()
  const told = async () =>
    databases.db
      .selectFrom('deliveries as d')
      .innerJoin('delivery_deals as dd', 'dd.delivery_id', 'd.id')
      .select(['d.kind', 'd.state', 'dd.deal_id', 'dd.alert_ids'])
      .where('d.destination_id', '=', destination_id)
      .orderBy('dd.deal_id')
      .execute()
  const add = async (q: string, more: object = {}) =>
    (await call('POST', path, { destination_id, ...(await searchOf(q)), ...more })).body
  const searchOf = async (q: string) => ({ search_id: await makeSearch(databases, member.user.id, { q }) })
  await add('copper')
  expect(await told()).toEqual([])
  const { id } = await add('kettle', { send_matching: true })
  expect(await told()).toEqual(
    deals.map((deal) => ({ kind: 'list', state: 'held', deal_id: deal.id, alert_ids: [id] })),
  )
  const matches = await databases.db
    .selectFrom('alert_matches')
    .selectAll()
    .where('alert_id', '=', id)
    .execute()
  expect(matches.map(({ price, is_matching }) => [price, is_matching])).toEqual([
    [40, true],
    [60, true],
  ])
  // Nothing is used up by one that is paused: it would be sent to nobody, and be no news later.
  const elsewhere = { destination_id: await own(), send_matching: true }
  const paused = await add('kettle', { ...elsewhere, is_paused: true })
  const countThere = async () =>
    (
      await databases.db
        .selectFrom('deliveries')
        .select('id')
        .where('destination_id', '=', elsewhere.destination_id)
        .execute()
    ).length
  expect(await countThere()).toBe(0)
  await call('PATCH', `${path}/${paused.id}`, { is_paused: false, send_matching: true })
  expect(await countThere()).toBe(1)
  // A destination hears of a deal once, whichever search finds it.
  await add('"copper kettle"', { send_matching: true })
  expect(await told()).toHaveLength(2)
  const cheap = {
    ...{ deal_id: deals[0]?.id, target_price: 45 },
    send_matching: true,
    destination_id: await own(),
  }
  await call('POST', path, cheap)
  const { rows } = await databases.durablePool.query(
    `select deal_id from deliveries join delivery_deals on delivery_id = id where destination_id = $1`,
    [cheap.destination_id],
  )
  expect(rows).toEqual([{ deal_id: deals[0]?.id }])
})

test('a member has room for five hundred alerts', async () => {
  const other = await signIn('user')
  const destination_id = await makeDestination(databases, { owner: other.user.id })
  await databases.durablePool.query(
    'insert into alerts (destination_id, deal_id, target_price) select $1, n, 5 from generate_series(1, 500) n',
    [destination_id],
  )
  const search_id = await makeSearch(databases, other.user.id)
  const full = await callAs(other)('POST', path, { destination_id, search_id })
  expect([full.status, full.body.message]).toEqual([
    409,
    'You have 500 alerts, and no room for more. Remove one of them first.',
  ])
})

test('what an alert would bring is told of a question and of a search', async () => {
  for (const price of [5, 6, 70]) await makeDeal(databases, { title: 'Tin whistle', price })
  await makeDeal(databases, { title: 'Tin whistle', price: 5, hidden_at: new Date() })
  const expectOf = async (query: string) => (await call('GET', `${path}/expect?${query}`)).body
  const q = encodeURIComponent('whistle price:<10')
  expect(await expectOf(`q=${q}`)).toMatchObject({ matching: 2, has_more: false, per_day: null })
  const search = await makeSearch(databases, member.user.id, { q: 'whistle' })
  expect(await expectOf(`search=${search}`)).toMatchObject({ matching: 3 })
  const theirs = await makeSearch(databases, admin.user.id)
  expect(await expectOf(`search=${theirs}`)).toMatchObject({ code: 'NOT_FOUND' })
  expect((await call('GET', `${path}/expect?q=is:hidden`)).status).toBe(422)
  const asAdmin = await callAs(admin)('GET', `${path}/expect?q=is:hidden`)
  expect([asAdmin.status, asAdmin.body.message]).toEqual([
    422,
    'This asks for hidden deals, of which nothing is ever sent.',
  ])
})
