import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../testing/app.ts'
import { testPassword } from '../testing/factories.ts'

const { app, databases, signIn } = await buildTestApp()
const admin = await signIn('admin')

/** What is changed by people; sessions count when they are ended, a use of one may be lost. */
const changes = {
  users: 'insert or update or delete',
  amazon_filters: 'insert or update or delete',
  blacklisted_words: 'insert or update or delete',
  member_items: 'insert or update or delete',
  ingest_tokens: 'insert or delete',
  audit_entries: 'insert',
  sessions: 'delete',
}
await databases.durablePool.query(`
  create table noted (what text, setting text);
  create function note() returns trigger language plpgsql as $$ begin
    insert into noted values (tg_table_name, current_setting('synchronous_commit'));
    return null;
  end $$;
  ${Object.entries(changes)
    .map(
      ([table, events]) =>
        `create trigger note after ${events} on ${table} for each row execute function note();`,
    )
    .join('')}`)

/** Calls a route that changes something, and tells which tables changed with which setting, each once. */
async function changedBy(
  [method, url]: ['POST' | 'PATCH' | 'DELETE', string],
  payload?: object,
  { headers }: Pick<SignedIn, 'headers'> = admin,
): Promise<{ id: number; noted: string[] }> {
  await databases.durablePool.query('truncate noted')
  const answer = await app.inject({ method, url, headers, ...(payload && { payload }) })
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  const { rows } = await databases.customPlanPool.query<{ what: string; setting: string }>(
    'select distinct what, setting from noted order by 1, 2',
  )
  const body = answer.body && answer.json()
  return { id: Object(body).id, noted: rows.map(({ what, setting }) => `${what} ${setting}`) }
}

test('what people change waits for the disk, also where the server’s default does not', async () => {
  const { rows } = await databases.customPlanPool.query('show synchronous_commit')
  expect(rows).toEqual([{ synchronous_commit: 'off' }])
  const audited = (table: string) => ['audit_entries on', `${table} on`]

  const filter = await changedBy(['POST', '/api/amazon_filters'], {
    ...{ category: 'brands', name: 'Acme', code: 'p_89:Acme' },
  })
  expect(filter.noted).toEqual(audited('amazon_filters').toSorted())
  const filterPath = `/api/amazon_filters/${filter.id}`
  for (const call of [
    await changedBy(['PATCH', filterPath], { name: 'Acme Ltd' }),
    await changedBy(
      ['POST', '/api/amazon_filters/import'],
      [{ category: 'brands', name: 'B', code: 'p_89:B' }],
    ),
    await changedBy(['DELETE', filterPath]),
  ])
    expect(call.noted).toEqual(audited('amazon_filters').toSorted())

  const user = await changedBy(['POST', '/api/users'], { username: 'newcomer', password: testPassword })
  expect(user.noted).toEqual(['audit_entries on', 'users on'])
  const userPath = `/api/users/${user.id}`
  for (const call of [
    await changedBy(['PATCH', userPath], { role: 'admin' }),
    await changedBy(['DELETE', userPath]),
  ])
    expect(call.noted).toEqual(['audit_entries on', 'users on'])
  const signUp = { username: 'applicant', password: testPassword }
  expect((await changedBy(['POST', '/api/signup'], signUp)).noted).toEqual(['users on'])

  const word = await changedBy(['POST', '/api/blacklisted_words'], { word: 'refurbished' })
  expect(word.noted).toEqual(['audit_entries on', 'blacklisted_words on'])
  const token = await changedBy(['POST', '/api/ingest_tokens'], { name: 'script' })
  expect(token.noted).toEqual(['audit_entries on', 'ingest_tokens on'])
  const item = { kind: 'link_filter', value: { name: 'Four stars', code: 'p_72:1' } }
  expect((await changedBy(['POST', '/api/me/items'], item)).noted).toEqual(['member_items on'])
})

test('so does what a member changes about their account', async () => {
  const own = await signIn('user')
  const passwords = { current_password: testPassword, new_password: 'another horse' }
  expect((await changedBy(['POST', '/api/profile/password'], passwords, own)).noted).toEqual(['users on'])
  await databases.durablePool.query(
    `insert into sessions (token_hash, user_id, expires_at)
     select decode(n, 'hex'), $1, now() + interval '1 day' from unnest(array['01', '02']) as n`,
    [own.user.id],
  )
  const { rows } = await databases.customPlanPool.query(
    String.raw`select id from sessions where token_hash = '\x01'`,
  )
  const one = await changedBy(['DELETE', `/api/profile/sessions/${rows[0].id}`], undefined, own)
  expect(one.noted).toEqual(['sessions on'])
  expect((await changedBy(['DELETE', '/api/profile/sessions'], undefined, own)).noted).toEqual([
    'sessions on',
  ])
})
