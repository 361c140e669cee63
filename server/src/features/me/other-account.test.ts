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
