import { mostFeeds, mostSearches, mostSharedByMember, type SavedSearch } from '@dealdeck/contract/searches'
import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'

const { app, databases, signIn } = await buildTestApp()
const path = '/api/searches'

async function call(
  who: SignedIn,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
) {
  const answer = await app.inject({ method, url, headers: who.headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
}
const add = async (who: SignedIn, given: object = {}): Promise<SavedSearch> =>
  (await call(who, 'POST', path, { name: 'Watches', q: 'watch price:<30', ...given })).body
const list = async (who: SignedIn): Promise<SavedSearch[]> => (await call(who, 'GET', path)).body.items
const names = async (who: SignedIn) =>
  (await list(who)).filter(({ is_mine }) => is_mine).map(({ name }) => name)
const auditOf = async (id: number) =>
  (
    await databases.customPlanPool.query(
      "select actor_name, action, before, after from audit_entries where subject_kind = 'search' and subject_id = $1 order by id",
      [id],
    )
  ).rows

test('a question is saved under a name, in its one form, and listed for nobody else', async () => {
  const [member, other] = [await signIn('user'), await signIn('user')]
  const { status, body } = await call(member, 'POST', path, {
    ...{ name: '  Cheap   watches ', q: ' watch  price:<30 -Casio off:50 sort:price' },
  })
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number),
      ...{ name: 'Cheap watches', q: 'watch price:<30 -Casio off:>=50', sort: 'price' },
      ...{ is_shared: false, owner: member.user.username, is_mine: true, is_in_row: true },
      ...{ new_count: null, has_more_new: false, updated_at: expect.any(String) },
    },
  ])
  expect(await list(member)).toEqual([{ ...body, new_count: 0 }])
  expect(await list(other)).toEqual([])
  for (const method of ['PATCH', 'DELETE'] as const)
    expect(
      (await call(other, method, `${path}/${body.id}`, method === 'PATCH' ? { name: 'Mine' } : undefined))
        .status,
    ).toBe(404)
  for (const action of ['restore', 'opened', 'feeds']) {
    const payload = action === 'feeds' ? { kind: 'deals' } : undefined
    expect((await call(other, 'POST', `${path}/${body.id}/${action}`, payload)).status).toBe(404)
  }
  expect(await names(member)).toEqual(['Cheap watches'])
})

test('who changes the question alone keeps the sort, unless the text or the change names another', async () => {
  const member = await signIn('user')
  const { id } = (await call(member, 'POST', path, { name: 'Cheap', q: 'lamp sort:price' })).body
  for (const [change, sort] of [
    [{ q: 'lamp shade' }, 'price'],
    [{ q: 'lamp sort:discount' }, 'discount'],
    [{ q: 'lamp', sort: null }, null],
  ] as const)
    expect((await call(member, 'PATCH', `${path}/${id}`, change)).body.sort).toBe(sort)
})

test('a question with a fault is not saved as another one, and the fault is named', async () => {
  const member = await signIn('user')
  const refused = await call(member, 'POST', path, { name: 'Lamps', q: 'lamp price:<ten' })
  expect([refused.status, refused.body.fields.q]).toEqual([422, expect.stringContaining('number')])
  // Hidden deals are an administrator's to ask for.
  expect((await call(member, 'POST', path, { name: 'Hidden', q: 'is:hidden' })).status).toBe(422)
  expect((await call(await signIn('admin'), 'POST', path, { name: 'Hidden', q: 'is:hidden' })).status).toBe(
    201,
  )
  expect((await call(member, 'POST', path, { name: ' ', q: 'lamp' })).status).toBe(400)
})

test('a shared search is everybody’s to use; whoever else changes it gets a copy of their own', async () => {
  const [owner, other, third] = [await signIn('user'), await signIn('user'), await signIn('user')]
  const shared = await add(owner, { name: 'Group watches', is_shared: true })
  expect((await list(other)).find(({ id }) => id === shared.id)).toMatchObject({
    ...{ name: 'Group watches', owner: owner.user.username, is_mine: false, is_shared: true },
  })
  const { body: copy } = await call(other, 'PATCH', `${path}/${shared.id}`, { q: 'clock' })
  expect(copy).toMatchObject({ name: 'Group watches', q: 'clock', is_mine: true, is_shared: false })
  expect(copy.id).not.toBe(shared.id)
  expect((await list(owner)).find(({ id }) => id === shared.id)).toMatchObject({ q: shared.q })
  expect((await call(other, 'DELETE', `${path}/${shared.id}`)).status).toBe(403)
  // And the other way round.
  await call(owner, 'PATCH', `${path}/${shared.id}`, { q: 'mug', name: 'Mugs' })
  expect((await list(other)).find(({ id }) => id === copy.id)).toMatchObject({
    q: 'clock',
    name: 'Group watches',
  })
  expect((await list(third)).find(({ id }) => id === shared.id)).toMatchObject({ q: 'mug', name: 'Mugs' })
  await call(owner, 'PATCH', `${path}/${shared.id}`, { is_shared: false })
  expect((await list(third)).map(({ id }) => id)).not.toContain(shared.id)
  expect((await list(other)).map(({ id }) => id)).toContain(copy.id)
})

test('an administrator changes and removes a shared search itself, which the audit list tells', async () => {
  const [owner, admin] = [await signIn('user'), await signIn('admin')]
  const [shared, own] = [await add(owner, { is_shared: true }), await add(owner, { name: 'Private' })]
  const { body } = await call(admin, 'PATCH', `${path}/${shared.id}`, { name: 'Clocks' })
  expect(body).toMatchObject({ id: shared.id, name: 'Clocks', owner: owner.user.username, is_mine: false })
  expect((await call(admin, 'DELETE', `${path}/${shared.id}`)).status).toBe(204)
  expect((await call(admin, 'POST', `${path}/${shared.id}/restore`)).status).toBe(200)
  const state = { question: shared.q, sort: null, is_shared: true, owner: owner.user.username }
  const by = { actor_name: admin.user.username }
  expect(await auditOf(shared.id)).toEqual([
    { ...by, action: 'change', before: { name: 'Watches', ...state }, after: { name: 'Clocks', ...state } },
    { ...by, action: 'remove', before: { name: 'Clocks', ...state }, after: null },
    { ...by, action: 'add', before: null, after: { name: 'Clocks', ...state } },
  ])
  // What is not shared is none of theirs.
  for (const method of ['PATCH', 'DELETE'] as const)
    expect(
      (await call(admin, method, `${path}/${own.id}`, method === 'PATCH' ? { name: 'X' } : undefined)).status,
    ).toBe(404)
  await call(owner, 'DELETE', `${path}/${own.id}`)
  expect((await call(admin, 'POST', `${path}/${own.id}/restore`)).status).toBe(404)
  expect(await auditOf(own.id)).toEqual([])
})

test('an administrator ends the sharing of somebody else’s search, which stays its owner’s', async () => {
  const [owner, admin] = [await signIn('user'), await signIn('admin')]
  const shared = await add(owner, { name: 'Too many', is_shared: true })
  const { status, body } = await call(admin, 'PATCH', `${path}/${shared.id}`, { is_shared: false })
  expect([status, body.id, body.is_shared, body.is_mine]).toEqual([200, shared.id, false, false])
  expect(await names(admin)).not.toContain('Too many')
  expect((await list(owner)).find(({ id }) => id === shared.id)).toMatchObject({ is_shared: false })
  expect(await auditOf(shared.id)).toMatchObject([
    { action: 'change', before: { is_shared: true }, after: { is_shared: false } },
  ])
})

test('a removed search comes back with its id, place and feeds for a day, on whatever device', async () => {
  const member = await signIn('user')
  const [first, second] = [await add(member, { name: 'First' }), await add(member, { name: 'Second' })]
  const items = [second, first].map(({ id }) => ({ id, is_in_row: true }))
  await call(member, 'PUT', `${path}/row`, { items })
  await call(member, 'POST', `${path}/${second.id}/feeds`, { kind: 'deals' })
  expect((await call(member, 'DELETE', `${path}/${second.id}`)).status).toBe(204)
  expect((await call(member, 'DELETE', `${path}/${second.id}`)).status).toBe(404)
  expect(await names(member)).toEqual(['First'])
  const { status, body } = await call(member, 'POST', `${path}/${second.id}/restore`)
  expect([status, body.id]).toEqual([200, second.id])
  expect(await names(member)).toEqual(['Second', 'First'])
  expect((await call(member, 'GET', `${path}/${second.id}/feeds`)).body).toHaveLength(1)
  await call(member, 'DELETE', `${path}/${second.id}`)
  await databases.durablePool.query(
    "update saved_searches set deleted_at = now() - interval '25 hours' where id = $1",
    [second.id],
  )
  expect((await call(member, 'POST', `${path}/${second.id}/restore`)).status).toBe(404)
})

test('each member has an order and a row of their own; new searches stand behind', async () => {
  const [owner, other] = [await signIn('user'), await signIn('user')]
  const [a, b] = [await add(owner, { name: 'A', is_shared: true }), await add(owner, { name: 'B' })]
  await call(owner, 'PUT', `${path}/row`, {
    items: [
      { id: b.id, is_in_row: true },
      { id: a.id, is_in_row: false },
      // Gone meanwhile, or somebody else's.
      { id: 999_999, is_in_row: true },
    ],
  })
  await add(owner, { name: 'C' })
  const mine = (await list(owner)).filter(({ is_mine }) => is_mine)
  expect(mine.map(({ name, is_in_row }) => [name, is_in_row])).toEqual([
    ['B', true],
    ['A', false],
    ['C', true],
  ])
  expect((await list(other)).find(({ id }) => id === a.id)).toMatchObject({ is_in_row: true })
})

test('what a device did not know of when it changed the order stands behind, in its own', async () => {
  const member = await signIn('user')
  const ids: number[] = []
  for (const name of ['A', 'B', 'C', 'D']) ids.push((await add(member, { name })).id)
  const [a = 0, b = 0, c = 0, d = 0] = ids
  const arrange = (...order: number[]) =>
    call(member, 'PUT', `${path}/row`, { items: order.map((id) => ({ id, is_in_row: true })) })
  await arrange(d, c, a, b)
  await arrange(b, a)
  const mine = (await list(member)).filter(({ is_mine }) => is_mine)
  expect(mine.map(({ name }) => name)).toEqual(['B', 'A', 'D', 'C'])
})

test('of two devices that change the same search the second is refused', async () => {
  const member = await signIn('user')
  const { id, updated_at } = await add(member)
  const change = (name: string) =>
    call(member, 'PATCH', `${path}/${id}`, { name, expected_updated_at: updated_at })
  expect((await change('From the desk')).status).toBe(200)
  const second = await change('From the phone')
  expect([second.status, second.body.code]).toEqual([409, 'CONFLICT'])
  expect(await names(member)).toContain('From the desk')
})

test('a member has so many searches, shared ones and feeds at most, however many are added at once', async () => {
  const member = await signIn('user')
  await databases.durablePool.query(
    `insert into saved_searches (owner_id, name, question, made_at_revision)
     select $1, 'Search ' || n, 'lamp', 0 from generate_series(1, $2) as n`,
    [member.user.id, mostSearches - 1],
  )
  const payload = { name: 'One more', q: 'lamp' }
  const answers = [await call(member, 'POST', path, payload), await call(member, 'POST', path, payload)]
  expect(answers.map(({ status }) => status)).toEqual([201, 409])
  const ids = (await list(member)).filter(({ is_mine }) => is_mine).map(({ id }) => id)
  await databases.durablePool.query('update saved_searches set is_shared = true where id = any($1)', [
    ids.slice(0, mostSharedByMember),
  ])
  const last = ids.at(-1)
  expect((await call(member, 'PATCH', `${path}/${last}`, { is_shared: true })).status).toBe(409)
  // Removing one and bringing it back is no way round.
  await call(member, 'DELETE', `${path}/${ids[0]}`)
  await add(member)
  expect((await call(member, 'POST', `${path}/${ids[0]}/restore`)).status).toBe(409)
  await databases.durablePool.query(
    `insert into search_feeds (search_id, user_id, kind, secret_hash)
     select $1, $2, 'deals', sha256(n::text::bytea) from generate_series(1, $3) as n`,
    [last, member.user.id, mostFeeds],
  )
  expect((await call(member, 'POST', `${path}/${last}/feeds`, { kind: 'events' })).status).toBe(409)
})
