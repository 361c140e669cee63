import {
  type MemberItem,
  type MemberItemList,
  type MergeResult,
  maximumItemCharacters,
  maximumItems,
} from '@dealdeck/contract/me'
import { beforeAll, expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { removeUser } from '../users/actions.ts'

const { app, databases, signIn } = await buildTestApp()

type Who = Pick<SignedIn, 'headers'>

async function call(
  { headers }: Who,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  at = '',
  payload?: object,
) {
  const answer = await app.inject({
    method,
    url: `/api/me/items${at}`,
    headers,
    ...(payload && { payload }),
  })
  return { status: answer.statusCode, body: answer.body && answer.json(), headers: answer.headers }
}

const list = async (who: Who): Promise<MemberItemList> => (await call(who, 'GET')).body
const names = async (who: Who) => (await list(who)).items.map(({ value }) => value.name)
const preset = (name: string, search: object = { q: 'lamp' }) => ({
  kind: 'link_preset',
  value: { name, search },
})
const filter = (name: string, code = 'p_72:1') => ({ kind: 'link_filter', value: { name, code } })
const add = async (who: Who, input: object): Promise<MemberItem> => (await call(who, 'POST', '', input)).body

let other: SignedIn
beforeAll(async () => {
  other = await signIn('user')
})

test.each(['user', 'admin'] as const)('%s: entries are added, read, changed and removed', async (role) => {
  const who = await signIn(role)
  expect(await list(who)).toEqual({ user_id: who.user.id, items: [] })
  const search = { q: 'desk  lamp', price: '5..19.99', brand: ['Acme', 'Bolt & Sons'], off: ['*'] }
  const made = await call(who, 'POST', '', preset('  Night   lamps ', search))
  expect([made.status, made.headers['cache-control']]).toEqual([201, 'no-store'])
  expect(made.body).toEqual({
    ...{ id: expect.any(Number), kind: 'link_preset', updated_at: expect.stringMatching(/Z$/) },
    value: { name: 'Night lamps', search },
  })
  const four = await add(who, filter('Four stars', ' p_72:2661618011 '))
  expect(four.value).toEqual({ name: 'Four stars', code: 'p_72:2661618011' })
  expect((await list(who)).items).toEqual([made.body, four])
  const renamed = { ...preset('Torches', { q: 'torch' }), expected_updated_at: made.body.updated_at }
  const changed = await call(who, 'PATCH', `/${made.body.id}`, renamed)
  expect([changed.status, changed.body.value]).toEqual([200, { name: 'Torches', search: { q: 'torch' } }])
  expect((await call(who, 'DELETE', `/${four.id}`)).status).toBe(204)
  expect((await list(who)).items).toEqual([changed.body])
})

test('nobody else’s entries are read, changed or removed, whatever the role', async () => {
  const [owner, admin] = [await signIn('user'), await signIn('admin')]
  const own = await add(owner, preset('Mine'))
  for (const stranger of [other, admin]) {
    expect(await names(stranger)).not.toContain('Mine')
    expect((await call(stranger, 'PATCH', `/${own.id}`, preset('Theirs'))).status).toBe(404)
    expect((await call(stranger, 'DELETE', `/${own.id}`)).status).toBe(404)
    // The same name is everybody's.
    expect((await call(stranger, 'POST', '', preset('Mine'))).status).toBe(201)
  }
  expect((await list(owner)).items).toEqual([own])
})

test('what all share stays the same bytes, whoever asks and whatever is theirs', async () => {
  await makeDeal(databases, { title: 'Shared teapot' })
  const owner = await signIn('user')
  const page = async ({ headers }: Who) => {
    const { body, headers: said } = await app.inject({ url: '/api/products', headers })
    return [body, said.etag]
  }
  const before = await page(owner)
  await add(owner, preset('Teapots only'))
  expect([await page(owner), await page(other)]).toEqual([before, before])
})

test('a name is there once, whatever its case; the very same entry again is the one there is', async () => {
  const who = await signIn('user')
  const lamps = await add(who, preset('Lamps', { q: 'lamp', brand: ['Acme'] }))
  const torches = await add(who, preset('Torches', { q: 'torch' }))
  expect(await add(who, preset('Lamps', { brand: ['Acme'], q: 'lamp' }))).toEqual(lamps)
  const message = 'There is already a preset named “LAMPS”.'
  const refused = { status: 409, body: { code: 'CONFLICT', message, fields: { name: message } } }
  expect(await call(who, 'POST', '', preset('LAMPS', { q: 'x' }))).toMatchObject(refused)
  expect(await call(who, 'PATCH', `/${torches.id}`, preset('LAMPS'))).toMatchObject(refused)
  expect((await call(who, 'PATCH', `/${lamps.id}`, preset('LAMPS'))).status).toBe(200)
  // Filters are what their code is: two of a name may stand side by side.
  await add(who, filter('Stars', 'p_72:1'))
  expect((await call(who, 'POST', '', filter('Stars', 'p_72:2'))).status).toBe(201)
  expect(await names(who)).toEqual(['LAMPS', 'Torches', 'Stars', 'Stars'])
})

test('of two devices that change one entry the second is told, and neither loses another', async () => {
  const desk = await signIn('user')
  const start = await add(desk, preset('Lamps', { q: '0' }))
  const change = (q: string) => ({
    ...preset('Lamps', { q }),
    expected_updated_at: start.updated_at,
  })
  const answers = await Promise.all(
    ['1', '2', '3', '4'].map((q) => call(desk, 'PATCH', `/${start.id}`, change(q))),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  const won = answers.find(({ status }) => status === 200)?.body
  expect((await list(desk)).items).toEqual([won])
  const stale = `/${start.id}?expected_updated_at=${start.updated_at}`
  expect(await call(desk, 'DELETE', stale)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  const added = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => add(desk, preset(name))))
  expect(added.every(({ id }) => id > start.id)).toBe(true)
  expect((await names(desk)).sort()).toEqual(['Lamps', 'a', 'b', 'c', 'd', 'e'])
  expect((await call(desk, 'DELETE', `/${start.id}?expected_updated_at=${won.updated_at}`)).status).toBe(204)
  expect((await call(desk, 'PATCH', `/${start.id}`, change('5'))).body.message).toBe(
    'This preset is gone. It was removed elsewhere.',
  )
})

test('of many who save one name at once one wins', async () => {
  const who = await signIn('user')
  const answers = await Promise.all(
    ['1', '2', '3', '4'].map((q) => call(who, 'POST', '', preset('Lamps', { q }))),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  expect(await names(who)).toEqual(['Lamps'])
})

test('the hundredth is the last of its kind, also of many at once, and a full shelf says so', async () => {
  const who = await signIn('user')
  const rows = Array.from({ length: maximumItems - 2 }, (_, at) => preset(`P ${at}`))
  await call(who, 'POST', '/merge', { items: rows })
  const answers = await Promise.all(['x', 'y', 'z', 'w'].map((name) => call(who, 'POST', '', preset(name))))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toEqual({
    code: 'CONFLICT',
    message: 'You have 100 presets, and no room for more. Remove some first.',
  })
  // Of another kind there is room, and what is there can be changed.
  expect((await call(who, 'POST', '', filter('Stars'))).status).toBe(201)
  expect((await list(who)).items).toHaveLength(maximumItems + 1)
})

test('all entries together have a size, which a change keeps, too', async () => {
  const who = await signIn('user')
  const large = (name: string) => preset(name, { brand: Array.from({ length: 15 }, () => 'b'.repeat(2_000)) })
  const one = JSON.stringify(large('00').value).length
  const fitting = Math.floor(maximumItemCharacters / one)
  for (let at = 0; at < fitting; at++)
    expect((await call(who, 'POST', '', large(String(at).padStart(2, '0')))).status).toBe(201)
  const refused = { status: 409, body: { message: expect.stringContaining('too large together') } }
  expect(await call(who, 'POST', '', large('99'))).toMatchObject(refused)
  const small = await add(who, preset('small'))
  expect(await call(who, 'PATCH', `/${small.id}`, large('99'))).toMatchObject(refused)
  expect(await names(who)).toHaveLength(fitting + 1)
})

test.each([
  ['no kind', { value: { name: 'x', code: 'y' } }],
  ['a kind nobody knows', { kind: 'deal', value: { name: 'x', code: 'y' } }],
  ['no name', preset('   ')],
  ['a long name', preset('n'.repeat(81))],
  ['a name with what nobody sees', preset('a\u0007b')],
  ['an unknown part of a set-up', preset('x', { q: 'lamp', colour: ['red'] })],
  ['a price that is none', preset('x', { price: '1-2' })],
  ['text the database can not keep', preset('x', { q: 'a\0b' })],
  ['half a character', preset('x', { q: '\ud800' })],
  ['a set-up that is too large', preset('x', { brand: Array.from({ length: 20 }, () => 'b'.repeat(2_000)) })],
  ['no code', filter('x', '  ')],
  ['a long code', filter('x', 'c'.repeat(2_001))],
])('refused with the reason: %s', async (_, input) => {
  const { status, body } = await call(other, 'POST', '', input)
  expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
  const { results }: MergeResult = (await call(other, 'POST', '/merge', { items: [input] })).body
  expect(results).toEqual([{ result: 'refused', message: expect.any(String) }])
})

test('what a device brings is taken once: the same content is one, another of the same name gets a number', async () => {
  const who = await signIn('user')
  await add(who, preset('Lamps', { q: 'lamp' }))
  const brought = [
    preset('lamps', { q: 'lamp' }),
    preset('LAMPS', { q: 'other lamp' }),
    preset('Torches', { q: 'torch' }),
    preset('Torches', { q: 'torch' }),
    { kind: 'link_preset', value: 7 },
    filter('Stars'),
    filter('Stars'),
  ]
  const merge = async (items: object[]): Promise<string[]> =>
    (await call(who, 'POST', '/merge', { items })).body.results.map(
      ({ result }: MergeResult['results'][number]) => result,
    )
  expect(await merge(brought)).toEqual(['known', 'added', 'added', 'known', 'refused', 'added', 'known'])
  const after = await list(who)
  expect(after.items.map(({ value }) => value.name)).toEqual(['Lamps', 'LAMPS (2)', 'Torches', 'Stars'])
  // Sent again, because the answer was lost or two tabs had the same thought, it changes nothing.
  expect(new Set(await merge(brought))).toEqual(new Set(['known', 'refused']))
  expect(await list(who)).toEqual(after)
  expect((await call(who, 'POST', '/merge', { items: Array(201).fill(preset('x')) })).status).toBe(400)
})

test('two tabs that bring the same at once bring it once', async () => {
  const who = await signIn('user')
  const items = ['Lamps', 'Torches', 'Mugs'].map((name) => preset(name, { q: name }))
  await Promise.all([1, 2, 3].map(() => call(who, 'POST', '/merge', { items })))
  expect(await names(who)).toEqual(['Lamps', 'Torches', 'Mugs'])
})

test('a numbered name is as long as a name may be', async () => {
  const who = await signIn('user')
  const long = `${'n'.repeat(78)}😀`
  const items = [1, 2, 3].map((q) => preset(long, { q: String(q) }))
  await call(who, 'POST', '/merge', { items })
  expect(await names(who)).toEqual([long, `${'n'.repeat(76)} (2)`, `${'n'.repeat(76)} (3)`])
})

test('entries go with the account', async () => {
  const [owner, admin] = [await signIn('user'), await signIn('admin')]
  await add(owner, preset('Lamps'))
  const left = () =>
    databases.db.selectFrom('member_items').select('id').where('user_id', '=', owner.user.id).execute()
  expect(await left()).toHaveLength(1)
  await removeUser(databases, admin.user, owner.user.id)
  expect(await left()).toEqual([])
  expect((await call(owner, 'POST', '', preset('Late'))).status).toBe(401)
})

test('a member’s changes take turns, and of too many the last are refused', async () => {
  const who = await signIn('user')
  // As long as a change of the account itself lasts, the first waits at work.
  const { answers, refused } = await databases.durableDb.transaction().execute(async (transaction) => {
    await transaction
      .selectFrom('users')
      .select('id')
      .where('id', '=', who.user.id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const refused: unknown[] = []
    const answers = Array.from({ length: 12 }, async (_, at) => {
      const { status, body } = await call(who, 'POST', '', preset(`P ${at}`))
      if (status !== 201) refused.push([status, body.code])
    })
    await expect.poll(() => refused.length).toBe(3)
    return { answers, refused }
  })
  await Promise.all(answers)
  expect(refused).toEqual(Array(3).fill([429, 'TOO_MANY_REQUESTS']))
  expect(await names(who)).toHaveLength(9)
})

test('entries of a kind that only a newer release knows are left alone', async () => {
  const who = await signIn('user')
  await add(who, preset('mine'))
  await databases.durablePool.query(
    `insert into member_items (user_id, kind, key_hash, value) values ($1, 'of_tomorrow', sha256('x'), '{"what": 1}')`,
    [who.user.id],
  )
  expect((await call(who, 'POST', '', preset('second'))).status).toBe(201)
  expect(await names(who)).toEqual(['mine', 'second'])
  const { rowCount } = await databases.durablePool.query(
    "select from member_items where kind = 'of_tomorrow' and user_id = $1",
    [who.user.id],
  )
  expect(rowCount).toBe(1)
})

test('what nobody sees is no name, and nothing beside it is read', async () => {
  const who = await signIn('user')
  for (const name of ['\u200b', '\u3164', '\ufe0f', '\u2800', '\u202egnp.exe'])
    expect([name, (await call(who, 'POST', '', preset(name))).status]).toEqual([name, 400])
  const { id } = await add(who, preset('a\u200db'))
  expect((await call(who, 'POST', '', preset('ab'))).status).toBe(409)
  const misspelt = await call(who, 'PATCH', `/${id}`, { ...preset('c'), expected_update_at: 'x' })
  expect([misspelt.status, await names(who)]).toEqual([400, ['a\u200db']])
})

test('a full list refuses what is merged into it at once', async () => {
  const who = await signIn('user')
  const same = (at: number) => preset('L', { q: String(at) })
  await call(who, 'POST', '/merge', { items: Array.from({ length: 100 }, (_, at) => same(at)) })
  expect((await list(who)).items).toHaveLength(100)
  const { body } = await call(who, 'POST', '/merge', { items: [same(1_000), same(5), preset('M')] })
  expect(body.results.map(({ result }: { result: string }) => result)).toEqual([
    'refused',
    'known',
    'refused',
  ])
})
