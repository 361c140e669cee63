import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { FakeServices, makeDelivery, makeDestination, makeSearch } from '../../../testing/destinations.ts'
import { makeDeal, makeUser } from '../../../testing/factories.ts'

const services = new FakeServices()
let send: (id: number) => Promise<unknown> = async () => undefined
const instance = await buildTestApp({
  deliveries: {
    kinds: services.kinds,
    send: async (id) => {
      await send(id)
    },
  },
})
const { app, databases, signIn } = instance
const admin = await signIn('admin')

async function call({ headers }: SignedIn, method: 'GET' | 'POST', url: string) {
  const answer = await app.inject({ method, url, headers })
  return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
}
const idsOf = ({ body }: { body: { items: { id: number }[] } }) => body.items.map(({ id }) => id)
const makeAlert = async (destination_id: number, search_id: number) =>
  (
    await databases.durableDb
      .insertInto('alerts')
      .values({ destination_id, search_id })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id
const hide = (id: number) =>
  databases.durablePool.query('update deals set hidden_at = now() where id = $1', [id])

test('the log is one’s own, in pages, narrowed by destination, search, deal and state', async () => {
  const member = await signIn('user')
  const [here, there] = [
    await makeDestination(databases, { owner: member.user.id }),
    await makeDestination(databases, { owner: member.user.id, name: 'Tablet' }),
  ]
  const search = await makeSearch(databases, member.user.id)
  const alert = await makeAlert(here, search)
  const deal = await makeDeal(databases, { title: 'Enamel lantern' })
  const first = await makeDelivery(databases, { destination: here, deals: [deal.id], alerts: [alert] })
  const second = await makeDelivery(databases, { destination: there, deals: [deal.id] })
  const third = await makeDelivery(databases, { destination: there })
  await databases.durablePool.query(`update deliveries set content = '{"price": 12.5}' where id = $1`, [
    first,
  ])
  await makeDelivery(databases, { destination: await makeDestination(databases, { owner: admin.user.id }) })
  const list = (query = '') => call(member, 'GET', `/api/deliveries${query}`)
  expect(idsOf(await list())).toEqual([third, second, first])
  expect((await list()).body.items.at(-1)).toMatchObject({
    ...{ kind: 'deal', state: 'sent', searches: ['Lanterns'], deal_count: 1, price: 12.5 },
    destination: { id: here, kind: 'ntfy', name: 'Phone', is_group: false, owner: member.user.username },
    deals: [{ id: deal.id, asin: deal.asin, title: 'Enamel lantern' }],
  })
  const page = await list('?limit=2')
  expect([idsOf(page), page.body.next_cursor]).toEqual([[third, second], String(second)])
  expect(idsOf(await list(`?limit=2&cursor=${second}`))).toEqual([first])
  expect(idsOf(await list(`?destination=${here}`))).toEqual([first])
  expect(idsOf(await list(`?search=${search}`))).toEqual([first])
  expect(idsOf(await list(`?deal=${deal.id}`))).toEqual([second, first])
  expect(idsOf(await list('?state=dead'))).toEqual([])
  // What is older than a month is not shown, tidied away or not.
  await databases.durablePool.query(
    `update deliveries set created_at = now() - interval '31 days' where id = $1`,
    [third],
  )
  expect(idsOf(await list())).toEqual([second, first])
})

test('administrators see the whole log where they ask for it, without what members call their searches', async () => {
  const member = await signIn('user')
  const own = await makeDestination(databases, { owner: member.user.id })
  const alerts = [
    await makeAlert(own, await makeSearch(databases, member.user.id, { name: 'My secret wish' })),
    await makeAlert(own, await makeSearch(databases, member.user.id, { name: 'Ours', is_shared: true })),
  ]
  const deal = await makeDeal(databases)
  const id = await makeDelivery(databases, { destination: own, deals: [deal.id], alerts })
  const group = await makeDelivery(databases, { destination: await makeDestination(databases) })
  expect((await call(member, 'GET', '/api/deliveries?all=true')).status).toBe(403)
  expect(idsOf(await call(member, 'GET', '/api/deliveries'))).toEqual([id])
  const mine = idsOf(await call(admin, 'GET', '/api/deliveries'))
  expect([mine.includes(group), mine.includes(id)]).toEqual([true, false])
  const all = await call(admin, 'GET', '/api/deliveries?all=true')
  const seen = all.body.items.find((item: { id: number }) => item.id === id)
  expect(seen).toMatchObject({ searches: ['Ours'], destination: { owner: member.user.username } })
  expect(JSON.stringify(all.body)).not.toContain('My secret wish')
})

test('what waits behind a failing message is said to be sent when its destination is tried again', async () => {
  const member = await signIn('user')
  const destination = await makeDestination(databases, { owner: member.user.id })
  const resumeAt = new Date(Date.now() + 600_000)
  await databases.durablePool.query('update destinations set resume_at = $2 where id = $1', [
    destination,
    resumeAt,
  ])
  const id = await makeDelivery(databases, { destination })
  const change = "update deliveries set state = 'queued', next_at = now(), reason = '' where id = $1"
  await databases.durablePool.query(change, [id])
  const shown = async () => (await call(member, 'GET', '/api/deliveries')).body.items[0]
  expect(await shown()).toMatchObject({
    next_at: resumeAt.toISOString(),
    reason: 'It waits until its destination can be sent to again.',
  })
  await databases.durablePool.query('update deliveries set next_at = null where id = $1', [id])
  expect(await shown()).toMatchObject({ next_at: null, reason: '' })
})

test('a hidden deal is not named in the log', async () => {
  const member = await signIn('user')
  const deals = [await makeDeal(databases), await makeDeal(databases, { title: 'Quite secret' })]
  const destination = await makeDestination(databases, { owner: member.user.id })
  await makeDelivery(databases, { destination, deals: deals.map(({ id }) => id), kind: 'list' })
  await hide(deals[1]?.id ?? 0)
  const { body } = await call(member, 'GET', '/api/deliveries')
  expect(body.items).toMatchObject([{ deal_count: 2, deals: [{ id: deals[0]?.id }] }])
})

test.each([{ is_over: true }, { availability: null }])(
  'a deal that is %j keeps its name in the log, and is not sent again',
  async (values) => {
    const member = await signIn('user')
    const deal = await makeDeal(databases, { title: 'Enamel lantern', ...values })
    const destination = await makeDestination(databases, { owner: member.user.id })
    const id = await makeDelivery(databases, { destination, deals: [deal.id] })
    const content = JSON.stringify({ deals: [{ id: deal.id, state: 'ended', price: 5 }] })
    await databases.durablePool.query(`update deliveries set state = 'edited', content = $2 where id = $1`, [
      ...[id, content],
    ])
    const read = async () => (await call(member, 'GET', '/api/deliveries')).body.items[0]
    expect(await read()).toMatchObject({
      can_replay: false,
      deals: [{ id: deal.id, asin: deal.asin, title: 'Enamel lantern' }],
      reason: 'The deal ended, and the message says so.',
    })
    expect((await call(member, 'POST', `/api/deliveries/${id}/replay`)).body).toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringContaining('ended'),
    })
    await databases.durablePool.query('update deals set is_blacklisted = true where id = $1', [deal.id])
    expect((await read()).deals).toEqual([])
  },
)

test('a deal whose time is over since is not sent again, though no job has seen it yet', async () => {
  const member = await signIn('user')
  const deal = await makeDeal(databases, { ends_at: new Date(Date.now() - 1_000) })
  const destination = await makeDestination(databases, { owner: member.user.id })
  const id = await makeDelivery(databases, { destination, deals: [deal.id] })
  expect((await call(member, 'GET', '/api/deliveries')).body.items).toMatchObject([{ id, can_replay: false }])
  expect((await call(member, 'POST', `/api/deliveries/${id}/replay`)).status).toBe(422)
})

test('a test sends the newest deal that an alert finds, else the newest of all, and says what came of it', async () => {
  const member = await signIn('user')
  const destination = await makeDestination(databases, { owner: member.user.id })
  const wanted = await makeDeal(databases, { title: 'Purple samovar' })
  const newest = await makeDeal(databases, { title: 'Plain spoon' })
  const sent: (number | undefined)[] = []
  send = async (id) => {
    const told = await databases.db
      .selectFrom('delivery_deals')
      .selectAll()
      .where('delivery_id', '=', id)
      .execute()
    sent.push(told[0]?.deal_id)
    await databases.durablePool.query(
      `update deliveries set state = 'sent', status = 204, answer = 'Thanks' where id = $1 and kind = 'test'`,
      [id],
    )
  }
  const test = () => call(member, 'POST', `/api/destinations/${destination}/test`)
  expect((await test()).body).toMatchObject({ is_sent: true, text: 'It was sent. It answered 204: Thanks' })
  await makeAlert(destination, await makeSearch(databases, member.user.id, { q: 'samovar' }))
  await test()
  expect(sent).toEqual([newest.id, wanted.id])
  // A search that is not the member's and not shared is none of theirs.
  const other = await makeUser(databases)
  await databases.durablePool.query('update saved_searches set owner_id = $1 where owner_id = $2', [
    ...[other.id, member.user.id],
  ])
  await test()
  expect(sent.at(-1)).toBe(newest.id)
  send = (id) =>
    databases.durablePool.query(
      `update deliveries set state = 'dead', reason = 'No such place.' where id = $1`,
      [id],
    )
  expect((await test()).body).toMatchObject({ is_sent: false, text: 'No such place.' })
  // Whoever sends has put it off, and hasn't taken long.
  send = async () => undefined
  expect((await test()).body).toMatchObject({
    ...{ is_sent: false, text: 'It is still to be sent. The log says what becomes of it.' },
  })
  expect((await test()).status).toBe(429)
})

test('nothing is tested that is not confirmed, or not one’s own', async () => {
  const member = await signIn('user')
  const destination = await makeDestination(databases, { owner: member.user.id })
  await databases.durablePool.query(`update destinations set state = 'unconfirmed' where id = $1`, [
    destination,
  ])
  expect((await call(member, 'POST', `/api/destinations/${destination}/test`)).body).toEqual({
    ...{ is_sent: false, delivery_id: null },
    text: 'Nothing can be sent there before it is confirmed.',
  })
  for (const owner of [null, admin.user.id]) {
    const other = await makeDestination(databases, { owner })
    expect((await call(member, 'POST', `/api/destinations/${other}/test`)).status).toBe(404)
  }
})

test('a message is sent again as a new one, of what may still be seen', async () => {
  const member = await signIn('user')
  const destination = await makeDestination(databases, { owner: member.user.id })
  const [kept, hidden] = [await makeDeal(databases), await makeDeal(databases)]
  const id = await makeDelivery(databases, { destination, deals: [kept.id, hidden.id], kind: 'list' })
  await hide(hidden.id)
  const offered = async () =>
    (await call(member, 'GET', '/api/deliveries')).body.items.map(
      ({ can_replay }: { can_replay: boolean }) => can_replay,
    )
  expect(await offered()).toEqual([true])
  const again = await call(member, 'POST', `/api/deliveries/${id}/replay`)
  expect([again.status, again.body]).toEqual([
    200,
    expect.objectContaining({ kind: 'list', state: 'queued', deal_count: 1, deals: [expect.anything()] }),
  ])
  expect(again.body.id).not.toBe(id)
  await hide(kept.id)
  expect((await call(member, 'POST', `/api/deliveries/${id}/replay`)).body).toMatchObject({
    code: 'UNPROCESSABLE',
    message: 'All of its deals ended or are not shown any more, so it is not sent again.',
  })
  const notice = await makeDelivery(databases, { destination, kind: 'notice' })
  expect(await offered()).toEqual([false, false, false])
  expect((await call(member, 'POST', `/api/deliveries/${notice}/replay`)).status).toBe(422)
  const other = await makeDeal(databases)
  for (const [state, message] of [
    [{ is_paused: true }, 'The destination is paused. Resume it first.'],
    [
      { state: 'gone' as const, is_paused: false },
      'There is nothing there any more. Add the destination anew.',
    ],
  ] as const) {
    await databases.db.updateTable('destinations').set(state).where('id', '=', destination).execute()
    const one = await makeDelivery(databases, { destination, deals: [other.id] })
    expect((await offered())[0]).toBe(false)
    expect((await call(member, 'POST', `/api/deliveries/${one}/replay`)).body).toMatchObject({ message })
  }
  const stranger = await signIn('user')
  for (const one of [id, 999_999])
    expect((await call(stranger, 'POST', `/api/deliveries/${one}/replay`)).body).toEqual({
      code: 'NOT_FOUND',
      message: 'This message is not in the log.',
    })
})

test('what administrators send again of others is in the audit list', async () => {
  const deal = await makeDeal(databases)
  for (const owner of [null, (await signIn('user')).user.id]) {
    const destination = await makeDestination(databases, { owner, name: `Channel ${owner}` })
    const id = await makeDelivery(databases, { destination, deals: [deal.id] })
    const again = await call(admin, 'POST', `/api/deliveries/${id}/replay`)
    expect(again.status).toBe(200)
    const audit = await call(admin, 'GET', '/api/audit?kind=delivery')
    expect(audit.body.items[0]).toMatchObject({
      ...{ action: 'add', after: { sent_again: id } },
      subject: { id: again.body.id, name: `Channel ${owner}` },
    })
  }
})

test('with an account goes whatever was set up with it, and the log', async () => {
  const member = await signIn('user')
  const destination = await makeDestination(databases, { owner: member.user.id })
  const deal = await makeDeal(databases)
  const alert = await makeAlert(destination, await makeSearch(databases, member.user.id))
  await makeDelivery(databases, { destination, deals: [deal.id], alerts: [alert] })
  const payload = { most_an_hour: 3 }
  await app.inject({ method: 'PATCH', url: '/api/alerts/peace', headers: member.headers, payload })
  const url = `/api/users/${member.user.id}`
  expect((await app.inject({ method: 'DELETE', url, headers: admin.headers })).statusCode).toBe(204)
  const { rows } = await databases.durablePool.query(
    `select (select count(*)::int from destinations where id = $1) + (select count(*)::int from alerts where id = $2)
       + (select count(*)::int from deliveries where destination_id = $1) + (select count(*)::int from peace where user_id = $3) as left`,
    [destination, alert, member.user.id],
  )
  expect(rows).toEqual([{ left: 0 }])
})
