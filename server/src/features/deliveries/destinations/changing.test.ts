import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../../testing/app.ts'
import { FakeServices, makeDelivery, makeDestination } from '../../../../testing/destinations.ts'

const services = new FakeServices()
const { app, databases, signIn } = await buildTestApp({
  deliveries: { kinds: services.kinds },
  settings: { FETCH_ALLOW: '10.1.0.0/16' },
})
const member = await signIn('user')
const admin = await signIn('admin')
const path = '/api/destinations'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const callAs =
  ({ headers }: SignedIn) =>
  async (method: Method, url: string, payload?: object) => {
    const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }
const call = callAs(member)
let counter = 0
const url = () => `https://there.example/${counter++}`
const input = (more: object = {}) => ({ kind: 'ntfy', name: 'Phone', settings: { url: url() }, ...more })
const stored = async (id: number) =>
  databases.db.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a destination is added, shown, changed and removed, and its secrets never come out', async () => {
  const given = input({
    secrets: { key: 'very secret' },
    affiliate_tag: 'mine-20',
    disclosure: '(paid link)',
  })
  const { status, body } = await call('POST', path, given)
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({
      ...{ kind: 'ntfy', settings: given.settings, secrets: ['key'], is_group: false, is_paused: false },
      ...{
        affiliate_tag: 'mine-20',
        disclosure: '(paid link)',
        state: 'ok',
        link: null,
        signing_secret: null,
      },
      state_text: 'Nothing has been sent there yet.',
    }),
  ])
  expect((await stored(body.id)).secrets).toMatch(/^v1\./)
  const changed = await call('PATCH', `${path}/${body.id}`, {
    ...{ name: 'Tablet', secrets: { key: '' }, is_paused: true, expected_updated_at: body.updated_at },
  })
  expect(changed.body).toMatchObject({ name: 'Tablet', secrets: [], state: 'paused' })
  const late = await call('PATCH', `${path}/${body.id}`, { expected_updated_at: body.updated_at })
  expect([late.status, late.body.code]).toEqual([409, 'CONFLICT'])
  const list = await call('GET', path)
  expect(list.body.items).toMatchObject([{ id: body.id, name: 'Tablet' }])
  expect(JSON.stringify([body, list.body])).not.toContain('very secret')
  expect((await call('DELETE', `${path}/${body.id}`)).status).toBe(204)
  expect((await call('GET', path)).body.items).toEqual([])
})

test('what is wrong is said by field', async () => {
  const wrong = await call('POST', path, input({ settings: { url: 'nonsense' } }))
  expect([wrong.status, wrong.body.fields]).toEqual([400, { 'settings.url': 'must be an address' }])
  const keyless = await call('POST', path, input({ settings: { url: 'https://members.example/' } }))
  expect(keyless.body.fields).toEqual({ 'secrets.key': 'is needed for this address' })
  const unknown = await call('POST', path, input({ secrets: { signing: 'x' } }))
  expect(unknown.body.fields).toEqual({ 'secrets.signing': 'is not known here' })
  const kindless = await call('POST', path, input({ kind: 'discord' }))
  expect(kindless.body.fields).toEqual({ kind: 'is not known here' })
  // What a kind stores by itself nobody gives.
  const chat = await call('POST', path, input({ settings: { url: url(), chat: '1' } }))
  expect(chat.body.fields).toEqual({ 'settings.chat': 'is not known here' })
})

test('a kind that can not be used here says what the operator has to do', async () => {
  services.unavailable = 'Set SMTP_URL first.'
  const refused = await call('POST', path, input())
  const kinds = await call('GET', `${path}/kinds`)
  services.unavailable = null
  expect([refused.status, refused.body.message]).toEqual([422, 'Set SMTP_URL first.'])
  expect(kinds.body.map((kind: { unavailable: string }) => kind.unavailable)).toContain('Set SMTP_URL first.')
})

test('what a kind has stored stays when its form changes', async () => {
  const { body } = await call('POST', path, input({ kind: 'telegram' }))
  await databases.durablePool.query(
    `update destinations set settings = settings || '{"chat": "7"}', state = 'ok', code = null where id = $1`,
    [body.id],
  )
  const settings = { url: 'https://elsewhere.example/' }
  await call('PATCH', `${path}/${body.id}`, { settings })
  expect((await stored(body.id)).settings).toEqual({ ...settings, chat: '7' })
  expect((await call('PATCH', `${path}/${body.id}`, { settings: { chat: '8' } })).status).toBe(400)
})

test('secrets are sent to another server only when they are entered again', async () => {
  const { body } = await call('POST', path, input({ secrets: { key: 'very secret' } }))
  const one = `${path}/${body.id}`
  const settings = { url: 'https://elsewhere.example/' }
  const refused = await call('PATCH', one, { settings })
  expect([refused.status, refused.body.fields]).toEqual([
    400,
    { 'secrets.key': 'must be entered again, as the address is on another server' },
  ])
  expect((await call('PATCH', one, { settings: { url: url() } })).status).toBe(200)
  expect((await call('PATCH', one, { settings, secrets: { key: 'other' } })).status).toBe(200)
  // What the server made is sent nowhere.
  const hook = await call('POST', path, input({ kind: 'webhook' }))
  expect((await call('PATCH', `${path}/${hook.body.id}`, { settings })).status).toBe(200)
})

test('the very same place is taken once, by one owner', async () => {
  const given = input({ secrets: { key: 'k' } })
  expect((await call('POST', path, given)).status).toBe(201)
  const again = await call('POST', path, { ...given, name: 'Another' })
  expect([again.status, again.body.message]).toEqual([
    409,
    '‘Phone’ goes to the very same place. Another one would bring each message twice.',
  ])
  // However its address is written.
  expect((await call('POST', path, { ...given, secrets: { key: 'K' } })).status).toBe(409)
  expect((await call('POST', path, { ...given, secrets: { key: 'other' } })).status).toBe(201)
  expect((await callAs(admin)('POST', path, given)).status).toBe(201)
})

test('a change leads to no place that another destination has', async () => {
  const [one, other] = [{ secrets: { key: 'one' } }, { secrets: { key: 'other' } }]
  const first = (await call('POST', path, input(one))).body
  const { id } = (await call('POST', path, input(other))).body
  const { status, body } = await call('PATCH', `${path}/${id}`, {
    ...{ settings: first.settings, secrets: one.secrets },
  })
  expect([status, body.code]).toEqual([409, 'CONFLICT'])
  // Its own place is its own.
  expect((await call('PATCH', `${path}/${first.id}`, { secrets: { key: 'one' } })).status).toBe(200)
  expect(
    (await call('PATCH', `${path}/${id}`, { settings: { url: url() }, secrets: other.secrets })).status,
  ).toBe(200)
})

test('one that failed is tried again after other settings, or when it is let go on', async () => {
  const { body } = await call('POST', path, input())
  const fail = () =>
    databases.durablePool.query(
      `update destinations set state = 'gone', state_text = 'It is gone.', failing_since = now() where id = $1`,
      [body.id],
    )
  await fail()
  const renamed = await call('PATCH', `${path}/${body.id}`, { name: 'Renamed' })
  expect(renamed.body).toMatchObject({ state: 'gone', state_text: 'It is gone.' })
  const other = await call('PATCH', `${path}/${body.id}`, { settings: { url: url() } })
  expect(other.body).toMatchObject({ state: 'ok' })
  await fail()
  expect((await call('PATCH', `${path}/${body.id}`, { is_paused: false })).body).toMatchObject({
    state: 'ok',
  })
})

test('what has paused a destination is said, unless its owner has', async () => {
  const { body } = await call('POST', path, input())
  const one = `${path}/${body.id}`
  await databases.durablePool.query(
    "update destinations set is_paused = true, state_text = 'It failed for a week: it answered 503.' where id = $1",
    [body.id],
  )
  const [shown] = (await call('GET', path)).body.items.filter(({ id }: { id: number }) => id === body.id)
  expect(shown).toMatchObject({
    state: 'paused',
    state_text: 'It failed for a week: it answered 503. Nothing is sent there until it is resumed.',
  })
  expect((await call('PATCH', one, { is_paused: false })).body.state_text).toBe(
    'Nothing has been sent there yet.',
  )
  await databases.durablePool.query(
    "update destinations set state = 'failing', state_text = 'Old trouble.' where id = $1",
    [body.id],
  )
  expect((await call('PATCH', one, { is_paused: true })).body).toMatchObject({
    state: 'paused',
    state_text: 'It is paused: nothing is sent there.',
  })
})

test('what was sent catches up once its destination is let go on', async () => {
  const { body } = await call('POST', path, input())
  const [behind] = [
    await makeDelivery(databases, { destination: body.id }),
    await makeDelivery(databases, { destination: body.id }),
  ]
  await call('PATCH', `${path}/${body.id}`, { is_paused: true })
  // As a change leaves it that came in the pause.
  await databases.durablePool.query(
    "update deliveries set message_id = 'm' || id, sent_version = 1, wanted_version = case id when $1 then 2 else 1 end where destination_id = $2",
    [behind, body.id],
  )
  const due = async () => {
    const { rows } = await databases.durablePool.query(
      'select id from deliveries where destination_id = $1 and next_at <= now()',
      [body.id],
    )
    return rows.map(({ id }) => id)
  }
  await call('PATCH', `${path}/${body.id}`, { name: 'Other' })
  expect(await due()).toEqual([])
  await call('PATCH', `${path}/${body.id}`, { is_paused: false })
  expect(await due()).toEqual([behind])
})

test('the group’s are set up by administrators, and every change of them is in the audit list', async () => {
  const refused = await call('POST', path, input({ is_group: true }))
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN'])
  const asAdmin = callAs(admin)
  const made = await asAdmin('POST', path, input({ is_group: true, kind: 'webhook', name: 'Channel' }))
  const one = `${path}/${made.body.id}`
  await asAdmin('PATCH', one, { affiliate_tag: 'group-20' })
  await asAdmin('POST', `${one}/renew`)
  expect((await call('PATCH', one, { name: 'Mine' })).status).toBe(404)
  expect((await call('GET', path)).body.items.map((item: { id: number }) => item.id)).not.toContain(
    made.body.id,
  )
  await asAdmin('DELETE', one)
  const entries = (await asAdmin('GET', '/api/audit?kind=destination')).body.items
  const seen = entries.map((entry: { action: string; before: unknown; after: unknown }) => [
    ...[entry.action, entry.before !== null, entry.after !== null],
  ])
  expect(seen).toEqual([
    ...[
      ['remove', true, false],
      ['change', false, true],
      ['change', true, true],
      ['add', false, true],
    ],
  ])
  expect(JSON.stringify(entries)).not.toMatch(/whsec|there\.example/)
  // A member's own are nobody's business.
  await asAdmin('POST', path, input())
  expect((await asAdmin('GET', '/api/audit?kind=destination')).body.items).toHaveLength(4)
})

test.each(['http://127.0.0.1:8080/', 'http://10.1.2.3/', 'http://[::1]/', 'http://2130706433/'])(
  '%s is refused at once, and the field named',
  async (address) => {
    const settings = { url: address }
    const refused = await call('POST', path, input({ settings }))
    const message = 'must be an address that anybody on the internet can reach'
    expect([refused.status, refused.body.fields]).toEqual([400, { 'settings.url': message }])
    const { body } = await call('POST', path, input())
    const changed = await call('PATCH', `${path}/${body.id}`, { settings })
    expect([changed.status, changed.body.fields]).toEqual([400, { 'settings.url': message }])
    await call('DELETE', `${path}/${body.id}`)
    // The group's may be where FETCH_ALLOW says.
    const group = await callAs(admin)('POST', path, input({ settings, is_group: true, name: 'Allowed' }))
    expect(group.status).toBe(address.includes('10.1') ? 201 : 400)
    if (group.status === 201) await callAs(admin)('DELETE', `${path}/${group.body.id}`)
  },
)

test('a member has room for twenty, and the group for a hundred', async () => {
  const other = await signIn('user')
  for (let count = 0; count < 20; count++) await makeDestination(databases, { owner: other.user.id })
  const full = await callAs(other)('POST', path, input())
  expect([full.status, full.body.code]).toEqual([409, 'CONFLICT'])
  await databases.durablePool.query(
    `insert into destinations (kind, name, settings, state) select 'ntfy', 'Group', '{}', 'ok' from generate_series(1, 100)`,
  )
  const group = await callAs(admin)('POST', path, input({ is_group: true }))
  expect([group.status, group.body.message]).toEqual([
    409,
    'The group has 100 destinations, and no room for more. Remove one of them first.',
  ])
})

test('what waits for another try is tried once its destination is let go on', async () => {
  const { body } = await call('POST', path, input())
  const [failed, quiet] = [
    await makeDelivery(databases, { destination: body.id }),
    await makeDelivery(databases, { destination: body.id }),
  ]
  await databases.durablePool.query(
    `update deliveries set state = 'queued', attempts = 7, next_at = now() + interval '10 hours',
       waits_for = case id when $1 then 'quiet' end where destination_id = $2`,
    [quiet, body.id],
  )
  await call('PATCH', `${path}/${body.id}`, { settings: { url: url() } })
  const { rows } = await databases.durablePool.query(
    'select id, attempts from deliveries where destination_id = $1 and next_at <= now()',
    [body.id],
  )
  expect(rows).toEqual([{ id: failed, attempts: 0 }])
})

test('who adds and removes destinations again and again has to wait', async () => {
  const callOf = callAs(await signIn('user'))
  const added = () => callOf('POST', path, input())
  for (let count = 0; count < 40; count++) await callOf('DELETE', `${path}/${(await added()).body.id}`)
  expect((await added()).status).toBe(429)
})
