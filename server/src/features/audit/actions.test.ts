import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { type Change, recordChange, recordChanges } from './actions.ts'

const databases = await testDatabases()
const actor = { id: 7, username: 'ann' }

function change(name: string, more: Partial<Change> = {}): Change {
  return { actor, action: 'add', subject: { kind: 'word', id: 1, name }, before: null, after: null, ...more }
}

const entries = async () =>
  (
    await databases.customPlanPool.query(
      'select actor_id, actor_name, action, subject_kind, subject_id, subject_name, before, after from audit_entries order by id',
    )
  ).rows

test('a change is there exactly if its transaction is, through pg and through Kysely', async () => {
  const client = await databases.durablePool.connect()
  try {
    await client.query('begin')
    await recordChange(client, change('undone'))
    await client.query('rollback')
    await client.query('begin')
    await recordChange(client, change('by pg', { after: { word: 'a "b" \\', is_active: true, n: null } }))
    await client.query('commit')
  } finally {
    client.release()
  }
  await databases.db.transaction().execute(async (transaction) => {
    await recordChange(
      transaction,
      change('by Kysely', {
        action: 'remove',
        subject: { kind: 'filter', id: null, name: 'नाम' },
        before: { code: 'x' },
      }),
    )
  })
  const common = { actor_id: 7, actor_name: 'ann' }
  const word = { subject_kind: 'word', subject_id: 1 }
  expect(await entries()).toEqual([
    {
      ...{ ...common, ...word, action: 'add', subject_name: 'by pg', before: null },
      after: { word: 'a "b" \\', is_active: true, n: null },
    },
    {
      ...{ ...common, action: 'remove', subject_kind: 'filter', subject_id: null, subject_name: 'नाम' },
      ...{ before: { code: 'x' }, after: null },
    },
  ])
})

test('many changes keep their order', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `word ${index}`)
  await recordChanges(
    databases.db,
    names.map((name) => change(name)),
  )
  await recordChanges(databases.db, [])
  expect((await entries()).slice(-500).map((entry) => entry.subject_name)).toEqual(names)
})

test('what looks like a secret is refused, that it changed is not', async () => {
  for (const name of ['password', 'passwordHash', 'token', 'token_hash', 'session', 'client_secret'])
    await expect(recordChange(databases.db, change('x', { after: { [name]: 'abc' } }))).rejects.toThrow(
      `must not hold '${name}'`,
    )
  await recordChange(databases.db, change('ann', { after: { password_changed: true } }))
  expect((await entries()).at(-1)).toMatchObject({ after: { password_changed: true } })
})

test('the database itself refuses to change, remove or empty the list, by either pool', async () => {
  const before = await entries()
  for (const pool of [databases.customPlanPool, databases.durablePool])
    for (const statement of [
      "update audit_entries set actor_name = 'bob'",
      'update audit_entries set id = default where false',
      'delete from audit_entries',
      'delete from audit_entries where false',
      'truncate audit_entries',
      "insert into audit_entries overriding system value select * from audit_entries on conflict (id) do update set actor_name = 'bob'",
    ])
      await expect(pool.query(statement), statement).rejects.toThrow('The audit list can only be added to')
  expect(await entries()).toEqual(before)
})
