import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { removeUser } from '../users/actions.ts'

const { app, databases, signIn } = await buildTestApp()
const save = async (who: SignedIn, name: string, is_shared: boolean): Promise<number> =>
  (
    await app.inject({
      ...{ method: 'POST', url: '/api/searches', headers: who.headers },
      payload: { name, q: 'lamp', is_shared },
    })
  ).json().id
const list = async (who: SignedIn) =>
  (await app.inject({ url: '/api/searches', headers: who.headers }))
    .json()
    .items.map(({ name, owner }: { name: string; owner: string }) => [name, owner])

test('what a deleted member shared stays, under the name of who deleted them, and the rest goes', async () => {
  const [admin, member, reader] = [await signIn('admin'), await signIn('user'), await signIn('user')]
  const shared = await save(member, 'Group lamps', true)
  await save(member, 'My lamps', false)
  const gone = await save(member, 'Old lamps', true)
  await app.inject({ method: 'DELETE', url: `/api/searches/${gone}`, headers: member.headers })
  const feed = await app.inject({
    ...{ method: 'POST', url: `/api/searches/${shared}/feeds`, headers: reader.headers },
    payload: { kind: 'deals' },
  })
  await removeUser(databases, admin.user, member.user.id)
  expect(await list(reader)).toEqual([['Group lamps', admin.user.username]])
  const { rows } = await databases.customPlanPool.query('select name from saved_searches')
  expect(rows).toEqual([{ name: 'Group lamps' }])
  // Whoever reads it in another program goes on doing so.
  expect((await app.inject({ url: `${new URL(feed.json().url).pathname}.atom` })).statusCode).toBe(200)
  const audit = await databases.customPlanPool.query(
    "select action, before, after from audit_entries where subject_kind = 'search'",
  )
  expect(audit.rows).toEqual([
    { action: 'change', before: { owner: member.user.username }, after: { owner: admin.user.username } },
  ])
})

test('who deletes their own account leaves what they share to another administrator', async () => {
  const [leaving, reader] = [await signIn('admin'), await signIn('user')]
  await save(leaving, 'Last lamps', true)
  await removeUser(databases, leaving.user, leaving.user.id)
  const owners = Object.fromEntries(await list(reader))
  expect(owners['Last lamps']).toMatch(/^user-\d+$/)
  expect(owners['Last lamps']).not.toBe(leaving.user.username)
})
