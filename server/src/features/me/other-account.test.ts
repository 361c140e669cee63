import { expect, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'

const { app, signIn } = await buildTestApp()

test('entries meant for another account are not added to the one that is signed in', async () => {
  const [{ headers, user }, first] = [await signIn('user'), await signIn('user')]
  const items = [{ kind: 'link_preset', value: { name: 'Lamps', search: { q: 'lamp' } } }]
  const merge = (user_id: number) =>
    app.inject({ method: 'POST', url: '/api/me/items/merge', headers, payload: { user_id, items } })
  const listed = async () => (await app.inject({ url: '/api/me/items', headers })).json().items.length
  const refused = await merge(first.user.id)
  expect([refused.statusCode, refused.json().code, await listed()]).toEqual([409, 'CONFLICT', 0])
  expect([(await merge(user.id)).statusCode, await listed()]).toEqual([200, 1])
})

test('what nobody asked for is named and refused, such as whose an entry is to be', async () => {
  const [{ headers }, other] = [await signIn('user'), await signIn('user')]
  const entry = (name: string, more: object = {}) => ({
    kind: 'link_preset',
    value: { name, search: { q: 'lamp' }, ...more },
  })
  const send = (method: 'POST' | 'PATCH', at: string, payload: object) =>
    app.inject({ method, url: `/api/me/items${at}`, headers, payload })
  const { id } = (await send('POST', '', entry('Lamps'))).json()
  const theirs = { ...entry('Torches'), user_id: other.user.id }
  for (const [method, at, payload, field] of [
    ['POST', '', theirs, 'user_id'],
    ['PATCH', `/${id}`, theirs, 'user_id'],
    ['PATCH', `/${id}`, { ...entry('Torches'), id: id + 1 }, 'id'],
    ['POST', '', entry('Torches', { is_shared: true }), 'value.is_shared'],
    ['POST', '/merge', { items: [], for: other.user.id }, 'for'],
    // What can't be made a text is no id either.
    ['PATCH', `/${id}`, { ...entry('Torches'), id: { toString: id } }, 'id'],
    // Every object has members of these names without being asked.
    ['POST', '', entry('Torches', { constructor: 1 }), 'value.constructor'],
    ['POST', '/merge', { items: [], constructor: 1 }, 'constructor'],
  ] as const) {
    const answer = await send(method, at, payload)
    const { code, message, fields } = answer.json()
    expect([answer.statusCode, code, Object.keys(fields)]).toEqual([400, 'INVALID_INPUT', [field]])
    expect(message).toMatch(/^[a-z_.]+ (is not known here|must be that of the address)$/)
  }
  // Nor in the address of what has a body: nobody looks there.
  const beside = await send('PATCH', `/${id}?kind=link_preset`, entry('Torches'))
  expect([beside.statusCode, Object.keys(beside.json().fields)]).toEqual([400, ['kind']])
  const { items } = (await app.inject({ url: '/api/me/items', headers })).json()
  expect(items).toMatchObject([{ value: { name: 'Lamps' } }])
})

test('an entry that is refused among others is told what is wrong with it, and where', async () => {
  const { headers } = await signIn('user')
  const preset = (search: object) => ({ kind: 'link_preset', value: { name: 'Lamps', search } })
  const items = [preset({ colour: 'red' }), preset({ q: 'q'.repeat(501) }), { kind: 'shoe' }]
  const answer = await app.inject({ method: 'POST', url: '/api/me/items/merge', headers, payload: { items } })
  expect(answer.json().results.map(({ message }: { message: string }) => message)).toEqual([
    'value.search.colour is not known here',
    'value.search.q must be at most 500 characters long',
    'kind must be one of link_preset, link_filter',
  ])
})
