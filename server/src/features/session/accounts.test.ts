import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser, testPassword } from '../../../testing/factories.ts'
import { sessionsChannel } from '../../platform/accounts/sessions.ts'
import {
  announceAccounts,
  createAccount,
  ensureAdministrator,
  hasAccounts,
  listAccounts,
  makeFirstAccounts,
  noAdministrator,
  randomPassword,
  readAccountsFile,
  writeAccountsFile,
} from './accounts.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

const databases = await testDatabases()
const { db } = databases

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-accounts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'first-accounts.txt')
}

const find = (username: string) =>
  db.selectFrom('users').selectAll().where('username', '=', username).execute()

test('the first accounts are made with passwords that only the file knows', async () => {
  await db.deleteFrom('users').execute()
  expect(await hasAccounts(databases)).toBe(false)
  const file = await newFile()
  const accounts = await makeFirstAccounts(databases, file, 'admin2')
  expect(accounts.map(({ username, role }) => [username, role])).toEqual([
    ['admin', 'admin'],
    ['user', 'user'],
    ['user2', 'user'],
  ])
  expect(await readFile(file, 'utf8')).toBe(listAccounts(accounts))
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  for (const { username, password } of accounts) {
    const [row] = await find(username)
    expect(await verifyPassword(password, row?.password_hash ?? '')).toBe(true)
    expect(row).toMatchObject({ status: 'approved', is_active: true })
  }
  expect(await hasAccounts(databases)).toBe(true)
})

test('every process looks anew at its built-in accounts when an account is made by a command', async () => {
  const listener = await databases.durablePool.connect()
  const heard: unknown[] = []
  listener.on('notification', ({ payload }) => heard.push(payload))
  try {
    await listener.query(`listen ${sessionsChannel}`)
    const account = { username: 'made by a command', password: 'long enough', role: 'admin' as const }
    await databases.durableDb.transaction().execute((transaction) => createAccount(transaction, account))
    const [made] = await find(account.username)
    await expect.poll(() => heard).toEqual([String(made?.id)])
  } finally {
    await listener.query('unlisten *')
    listener.release()
  }
})

test('a terminal is told the first passwords, a log only where they are', async () => {
  const accounts = [{ username: 'zoe', password: randomPassword(), role: 'admin' as const }]
  expect(announceAccounts(accounts, '/data/first.txt', true)).toContain(listAccounts(accounts))
  const logged = announceAccounts(accounts, '/data/first.txt', false)
  expect(logged).toContain('/data/first.txt')
  expect(logged).not.toContain(accounts[0]?.password)
})

test('made-up passwords are long and never the same', () => {
  const passwords = new Set(Array.from({ length: 100 }, randomPassword))
  expect(passwords.size).toBe(100)
  for (const password of passwords) expect(password).toMatch(/^[a-z2-9]{16}$/)
})

test('a name is taken only by an active account, and so is one that looks like it', async () => {
  const create = (username: string) =>
    db.transaction().execute((transaction) => {
      return createAccount(transaction, { username, password: 'correct horse', role: 'user' })
    })
  await makeUser(databases, { username: 'zoe', is_active: false })
  await create('zoe')
  await expect(create('zoe')).rejects.toMatchObject({ code: 'USERNAME_TAKEN' })
  await expect(create('zое')).rejects.toThrow(
    'The username zое looks like zoe, which another active user has.',
  )
})

test('of old names that look alike, the one that is asked for is the one that is taken', async () => {
  // The first of one begins with a Cyrillic letter.
  const names = ['аnn', 'ann']
  for (const username of names) await makeUser(databases, { username })
  for (const username of names)
    await expect(
      db.transaction().execute((transaction) => {
        return createAccount(transaction, { username, password: 'correct horse', role: 'user' })
      }),
    ).rejects.toThrow('Username already exists')
})

test('the kept administrator is none that looks like somebody else, and may have an old name', async () => {
  await makeUser(databases, { username: 'owner' })
  await makeUser(databases, { username: 'ｒｏｏｔ', role: 'admin' })
  const keep = (username: string) => ensureAdministrator(databases, username, testPassword)
  await expect(keep('оwner')).rejects.toThrow('Setting ADMIN_USERNAME: The username оwner looks like owner')
  await makeUser(databases, { username: 'ownеr', role: 'admin', is_active: false })
  await expect(keep('ownеr')).rejects.toThrow('looks like owner')
  await expect(keep('own\u3164er')).rejects.toThrow(
    'Setting ADMIN_USERNAME: Username must not contain invisible characters',
  )
  expect(await keep('ｒｏｏｔ')).toBe('unchanged')
})

test('the first accounts leave out the one that looks like the kept administrator', async () => {
  const own = await testDatabases()
  const accounts = await makeFirstAccounts(own, await newFile(), 'аdmin')
  expect(accounts.map(({ username }) => username)).toEqual(['admin2', 'user', 'user2'])
  expect(await ensureAdministrator(own, 'аdmin', testPassword)).toBe('made')
})

test('the kept administrator is made, left alone, and set right again', async () => {
  expect(await ensureAdministrator(databases, 'keeper', 'correct horse')).toBe('made')
  expect(await ensureAdministrator(databases, 'keeper', 'correct horse')).toBe('unchanged')
  const [made] = await find('keeper')
  const userId = made?.id ?? 0
  await db
    .insertInto('sessions')
    .values({ token_hash: Buffer.from('x'), user_id: userId, expires_at: new Date('2099-01-01') })
    .execute()
  const fallen = { role: 'user', status: 'rejected', is_active: false } as const
  await db
    .updateTable('users')
    .set({ ...fallen, password_hash: await hashPassword('somebody else') })
    .where('id', '=', userId)
    .execute()
  expect(await ensureAdministrator(databases, 'keeper', 'correct horse')).toBe('changed')
  const rows = await find('keeper')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ id: userId, role: 'admin', status: 'approved', is_active: true })
  expect(await verifyPassword('correct horse', rows[0]?.password_hash ?? '')).toBe(true)
  expect(await db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute()).toEqual([])
})

test('several applications that keep the same administrator make one', async () => {
  const results = await Promise.all(
    Array.from({ length: 4 }, () => ensureAdministrator(databases, 'shared', 'correct horse')),
  )
  expect(results.sort()).toEqual(['made', 'unchanged', 'unchanged', 'unchanged'])
  expect(await find('shared')).toHaveLength(1)
})

test("an accounts file holds hashes only, is its owner's, and is not written over", async () => {
  const file = await newFile()
  const made = await writeAccountsFile(file)
  expect(made.map(({ username, role }) => `${username} ${role}`)).toEqual([
    'admin admin',
    'admin2 admin',
    'user user',
    'user2 user',
  ])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const text = await readFile(file, 'utf8')
  for (const { password } of made) expect(text).not.toContain(password)
  const read = await readAccountsFile(file)
  for (const [index, { username, password }] of made.entries()) {
    expect(read[index]).toMatchObject({ username })
    expect(await verifyPassword(password, read[index]?.password_hash ?? '')).toBe(true)
  }
  await expect(writeAccountsFile(file)).rejects.toThrow(`${file} exists already`)
  expect(await readFile(file, 'utf8')).toBe(text)
})

const twins = ['zoe', 'zое'].map((username) => ({ username, role: 'user', password_hash: 'x' }))

test.each(['', '{}', '[]', '[{"username":"zoe","role":"king","password_hash":"x"}]', JSON.stringify(twins)])(
  'an accounts file that says %j is refused in one line',
  async (text) => {
    const file = await newFile()
    await writeFile(file, text)
    await expect(readAccountsFile(file)).rejects.toThrow(
      `Setting BUILT_IN_ACCOUNTS: ${file} is not a file of accounts. Make one with: npm run cli -- built-in-accounts ${file}`,
    )
    await expect(readAccountsFile(`${file}.gone`)).rejects.toThrow('can not be read')
  },
)

test('as long as nobody can administer the installation a start says how to change that, and who gets in', async () => {
  await db.deleteFrom('users').execute()
  const how =
    'Nobody can administer this installation yet. Make an administrator with: npm run cli -- create-user NAME --admin, or start it with ADMIN_USERNAME and ADMIN_PASSWORD.'
  const insert = (username: string, more: { role: 'admin' | 'user'; is_active?: boolean }) =>
    db
      .insertInto('users')
      .values({ username, password_hash: '', ...more })
      .execute()
  await insert('ann', { role: 'user' })
  await insert('bea', { role: 'admin', is_active: false })
  expect(await noAdministrator(databases, 'open')).toBe(
    `${how} Meanwhile anybody may sign up and see all deals (SIGNUP_MODE=open).`,
  )
  expect(await noAdministrator(databases, 'approval')).toContain('waits for an administrator')
  expect(await noAdministrator(databases, 'closed')).toBe(how)
  await insert('cid', { role: 'admin' })
  expect(await noAdministrator(databases, 'open')).toBeUndefined()
})
