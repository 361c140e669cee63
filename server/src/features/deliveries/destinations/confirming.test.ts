import { expect, test } from 'vitest'
import { buildTestApp } from '../../../../testing/app.ts'
import { FakeServices } from '../../../../testing/destinations.ts'
import { queueMatch, readDelivery, startOutbox, testOutbox } from '../../../../testing/outbox.ts'
import { hashCode } from '../kinds/codes.ts'

const services = new FakeServices()
let later = 0
const clock = () => new Date(Date.now() + later)
const { app, databases, signIn } = await buildTestApp({ clock, deliveries: { kinds: services.kinds } })

/** Calls of a member of their own. */
async function newMember() {
  const { headers, user } = await signIn('user')
  const call = async (path: string, payload: object = {}) => {
    const url = `/api/destinations${path}`
    const answer = await app.inject({ method: 'POST', url, headers, payload })
    return { status: answer.statusCode, body: answer.json() }
  }
  let count = 0
  const add = (kind: string) =>
    call('', { kind, name: 'Mine', settings: { url: `https://there.example/${user.id}/${count++}` } })
  return { call, add, user, headers }
}
const lastCode = () => services.codes.at(-1)?.code ?? ''
const stateOf = async (id: number) =>
  (await databases.db.selectFrom('destinations').selectAll().where('id', '=', id).executeTakeFirstOrThrow())
    .state

test('a code is sent to the destination, and entering it confirms it', async () => {
  const { call, add } = await newMember()
  const { body } = await add('email')
  expect(body).toMatchObject({
    ...{ state: 'unconfirmed', link: null, is_code_sent: true },
    state_text: 'Nothing is sent there yet: enter the code that was sent there.',
  })
  expect(services.codes.at(-1)).toMatchObject({ id: body.id, address: body.settings.url })
  expect(JSON.stringify(body)).not.toContain(lastCode())
  const wrong = await call(`/${body.id}/confirm`, { code: 'AAAAAAAA' })
  expect([wrong.status, wrong.body.fields]).toEqual([422, { code: 'This is not the code that was sent.' }])
  const code = ` ${lastCode().slice(0, 4).toLowerCase()} ${lastCode().slice(4)}`
  expect((await call(`/${body.id}/confirm`, { code })).body).toMatchObject({
    state: 'ok',
    is_code_sent: false,
  })
  // It is used up.
  expect((await call(`/${body.id}/confirm`, { code })).status).toBe(409)
})

test('after five wrong codes, or a quarter of an hour, another one is needed', async () => {
  const { call, add } = await newMember()
  const { body } = await add('email')
  for (let count = 0; count < 5; count++) await call(`/${body.id}/confirm`, { code: 'AAAAAAAA' })
  const right = await call(`/${body.id}/confirm`, { code: lastCode() })
  expect([right.status, right.body.message]).toEqual([
    422,
    'Too many wrong codes were entered. Ask for a new one.',
  ])
  expect((await call(`/${body.id}/renew`)).status).toBe(200)
  later = 15 * 60_000
  const late = await call(`/${body.id}/confirm`, { code: lastCode() })
  expect([late.status, late.body.message]).toEqual([422, 'This code is over. Ask for a new one.'])
  const renewed = await call(`/${body.id}/renew`)
  expect(renewed.body.signing_secret).toBeNull()
  expect((await call(`/${body.id}/confirm`, { code: lastCode() })).body).toMatchObject({ state: 'ok' })
  later = 0
})

test('a member gets five codes an hour, whatever for', async () => {
  const { call, add } = await newMember()
  const { body } = await add('email')
  for (let count = 0; count < 3; count++) await call(`/${body.id}/renew`)
  await add('telegram')
  const sent = services.codes.length
  const refused = await call(`/${body.id}/renew`)
  expect([refused.status, refused.body.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
  expect((await add('email')).status).toBe(429)
  expect(services.codes).toHaveLength(sent)
  const { rows } = await databases.durablePool.query(
    `update delivery_limits set as_of = as_of - interval '1 hour' where key like 'code of %' returning key`,
  )
  expect(rows.length).toBeGreaterThan(0)
  expect((await call(`/${body.id}/renew`)).status).toBe(200)
})

test('a link shows its code until it is over, and entering that here confirms nothing', async () => {
  const { call, add, headers } = await newMember()
  const { body } = await add('telegram')
  const { code, url } = body.link
  expect(body.is_code_sent).toBe(false)
  expect(url).toBe(`https://t.example/bot?start=${code}`)
  const row = await databases.db
    .selectFrom('destinations')
    .selectAll()
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow()
  expect(row.code_hash).toEqual(hashCode(code))
  expect(row.code).toMatch(/^v1\./)
  expect((await call(`/${body.id}/confirm`, { code })).status).toBe(409)
  expect(await stateOf(body.id)).toBe('unconfirmed')
  later = 16 * 60_000
  const list = await app.inject({ url: '/api/destinations', headers })
  later = 0
  expect(list.json().items[0]).toMatchObject({
    link: null,
    state_text: 'Nothing is sent there yet: its code is over. Ask for a new one.',
  })
  const renewed = await call(`/${body.id}/renew`)
  expect(renewed.body.link.code).not.toBe(code)
})

test('another address is confirmed anew, another name is not', async () => {
  const { call, add, headers } = await newMember()
  const { body } = await add('email')
  await call(`/${body.id}/confirm`, { code: lastCode() })
  const change = (payload: object) =>
    app.inject({ method: 'PATCH', url: `/api/destinations/${body.id}`, headers, payload })
  expect((await change({ name: 'Other' })).json()).toMatchObject({ state: 'ok' })
  const settings = { url: 'https://victim.example/' }
  expect((await change({ settings })).json()).toMatchObject({ state: 'unconfirmed', settings })
  expect(services.codes.at(-1)?.address).toBe(settings.url)
})

test('a code that could not be sent is said as the destination’s state', async () => {
  const { add } = await newMember()
  services.outcome = { result: 'failed', text: 'Nobody answers there.' }
  const { status, body } = await add('email')
  services.outcome = { result: 'sent', messageId: null }
  expect([status, body.state, body.is_code_sent, body.state_text]).toEqual([
    ...[201, 'unconfirmed', false, 'The code could not be sent. Nobody answers there.'],
  ])
})

test('a signing secret is shown when it is made, and never again', async () => {
  const { call, add, headers } = await newMember()
  const { body } = await add('webhook')
  expect(body).toMatchObject({ signing_secret: 'whsec_first', secrets: ['signing'] })
  const renewed = await call(`/${body.id}/renew`)
  expect(renewed.body.signing_secret).toBe('whsec_first+')
  const list = await app.inject({ url: '/api/destinations', headers })
  expect(list.body).not.toContain('whsec')
  const nothing = await add('ntfy')
  expect((await call(`/${nothing.body.id}/renew`)).status).toBe(409)
})

test('what waits at a failing address is sent to another one as soon as that is confirmed', async () => {
  const { call, add, headers } = await newMember()
  const { body } = await add('email')
  await call(`/${body.id}/confirm`, { code: lastCode() })
  const queued = await queueMatch(databases, body.id)
  const digest = await queueMatch(databases, body.id, {
    hold: { kind: 'digest', until: new Date(Date.now() + 86_400_000), collectedFor: 'weekly', reason: '' },
  })
  await databases.durablePool.query(`update destinations set state = 'failing' where id = $1`, [body.id])
  await databases.durablePool.query(
    `update deliveries set attempts = 3, next_at = now() + interval '1 hour' where id = $1`,
    [queued.id],
  )
  const settings = { url: `https://other.example/${body.id}` }
  await app.inject({ method: 'PATCH', url: `/api/destinations/${body.id}`, headers, payload: { settings } })
  await databases.durablePool.query('update deliveries set next_at = now() where id = $1', [queued.id])
  const isWaiting = () =>
    Promise.all([readDelivery(databases, queued.id), readDelivery(databases, digest.id)])
  const waiting = [{ state: 'queued' }, { state: 'held' }]
  startOutbox(testOutbox(databases, { clock, kinds: services.kinds }))
  // Somebody else's is sent meanwhile, so that these have had their turn.
  const other = await newMember()
  const there = await other.add('ntfy')
  const passed = await queueMatch(databases, there.body.id)
  await expect.poll(() => readDelivery(databases, passed.id)).toMatchObject({ state: 'sent' })
  expect(await isWaiting()).toMatchObject(waiting)
  expect((await call(`/${body.id}/confirm`, { code: lastCode() })).body).toMatchObject({ state: 'ok' })
  await expect.poll(isWaiting).toMatchObject([{ state: 'sent', attempts: 1 }, { state: 'held' }])
})

test('where no code is entered, what is due is left out, and what is collected goes on waiting', async () => {
  const { add } = await newMember()
  const { body } = await add('email')
  const due = await queueMatch(databases, body.id)
  const digest = await queueMatch(databases, body.id, {
    hold: { kind: 'digest', until: new Date(Date.now() + 86_400_000), collectedFor: 'weekly', reason: '' },
  })
  await databases.durablePool.query('update destinations set resume_at = now() where id = $1', [body.id])
  startOutbox(testOutbox(databases, { kinds: services.kinds }))
  await expect
    .poll(() => readDelivery(databases, due.id))
    .toMatchObject({ state: 'skipped', reason: 'The destination isn’t confirmed.' })
  expect(await readDelivery(databases, digest.id)).toMatchObject({ state: 'held' })
})
