import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { runCommand, startDealdeck, temporaryFolder } from '../../../testing/dealdeck-process.ts'
import { cloneTemplate, dropDatabase } from '../../../testing/template.ts'
import { freePort } from '../embedded/embedded-process.ts'

// Whole processes, several a test, share the machine with the rest of the run.
vi.setConfig({ testTimeout: 180_000 })

/** The oldest PostgreSQL Dealdeck works with, where Debian has put it. */
const debian = '/usr/lib/postgresql/15/bin'
const password = 'not to be shown'

/** A throw-away PostgreSQL 15; ended with the test. Returns its address. */
async function postgres15(): Promise<string> {
  const folder = await temporaryFolder()
  const data = join(folder, 'cluster')
  const passwordFile = join(folder, 'password')
  await mkdir(data, { mode: 0o700 })
  await writeFile(passwordFile, password)
  const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  if (as.uid) for (const path of [data, passwordFile]) await chown(path, as.uid, as.gid)
  const made = spawnSync(
    join(debian, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'owner',
      '-A',
      'scram-sha-256',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '-N',
      `--pwfile=${passwordFile}`,
    ],
    { ...as, cwd: '/', encoding: 'utf8' },
  )
  expect(made.stderr).toBe('')
  const port = await freePort()
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const server = spawn(
    join(debian, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...as, cwd: '/', stdio: 'ignore' },
  )
  onTestFinished(async () => {
    server.kill('SIGINT')
    await once(server, 'exit')
  })
  return `postgres://owner:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`
}

test.runIf(existsSync(debian))('the whole application on a PostgreSQL 15 of somebody else', async () => {
  // Not waited for: the application does that.
  const DATABASE_URL = await postgres15()
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const env = { DATABASE_URL, DATA_DIR, ADMIN_USERNAME: 'boss', ADMIN_PASSWORD: 'correct horse' }
  const [first, second] = [startDealdeck(env), startDealdeck(env)]
  const address = await first.address()
  // Two at once share one database, and so does every session.
  const other = await second.address()
  expect((await fetch(`${address}/readyz`)).status).toBe(200)
  const session = await fetch(`${address}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ username: 'boss', password: 'correct horse' }),
  })
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const seen = await fetch(`${other}/api/session`, { headers: { cookie } })
  expect(await seen.json()).toMatchObject({ username: 'boss', role: 'admin' })
  expect(first.output).not.toContain('first accounts')
  expect(await stat(DATA_DIR).catch(() => null)).toBeNull()

  const made = await runCommand(['create-user', 'ann', '--password', 'correct horse'], { DATABASE_URL })
  expect(made).toMatchObject({ code: 0, errors: '' })

  const wrong = startDealdeck({ DATABASE_URL: DATABASE_URL.replace('shown', 'guessed') })
  expect(await wrong.ended()).toBe(1)
  expect(wrong.errors).toMatch(/^The database at 127\.0\.0\.1:\d+\/postgres can't be reached: password .*\n$/)
  expect(wrong.errors).not.toContain('guessed')
})

test('a database that does not answer within ten seconds is one line without the password', async () => {
  const port = await freePort()
  const dealdeck = startDealdeck({ DATABASE_URL: `postgres://ann:secret@127.0.0.1:${port}/deals` })
  expect(await dealdeck.ended()).toBe(1)
  expect(dealdeck.errors).toBe(
    `The database at 127.0.0.1:${port}/deals can't be reached: nothing listens there.\n`,
  )
})

test('an address with an unescaped password is one line without it', async () => {
  const dealdeck = startDealdeck({ DATABASE_URL: 'postgres://ann:se/cret%@127.0.0.1/deals' })
  expect(await dealdeck.ended()).toBe(1)
  expect(dealdeck.errors).toMatch(/^[^\n]+\n$/)
  expect(dealdeck.errors).not.toContain('cret')
})

test('the first start on an external database says how to make an administrator, until there is one', async () => {
  const clusterUrl = inject('clusterUrl')
  const DATABASE_URL = await cloneTemplate(clusterUrl, 'template0')
  onTestFinished(() => dropDatabase(clusterUrl, DATABASE_URL))
  const accounts = join(await temporaryFolder(), 'accounts.json')
  // Also before there are any tables.
  const early = await runCommand(['built-in-accounts', `${accounts}.early`], { DATABASE_URL })
  expect(early.code).toBe(0)
  expect(early.output).not.toContain('users table')

  const first = startDealdeck({ DATABASE_URL })
  await first.address()
  await first.says(
    /\nNobody can administer this installation yet\. Make an administrator with: npm run cli -- create-user NAME --admin, .* Meanwhile anybody may sign up and see all deals \(SIGNUP_MODE=open\)\.\n/,
  )
  expect(await runCommand(['create-user', 'admin', '--admin'], { DATABASE_URL })).toMatchObject({ code: 0 })
  const second = startDealdeck({ DATABASE_URL })
  const address = await second.address()
  expect((await fetch(`${address}/readyz`)).status).toBe(200)
  second.kill('SIGTERM')
  await second.ended()
  expect(second.output).not.toContain('administer')

  const made = await runCommand(['built-in-accounts', accounts], { DATABASE_URL })
  expect(made).toMatchObject({ code: 0, errors: '' })
  expect(made.output.match(/^The users table has .*$/gm)).toEqual([
    'The users table has admin: that account and its own password count, also while the database is away.',
  ])
  const nowhere = `postgres://ann:secret@127.0.0.1:${await freePort()}/deals`
  const unknown = await runCommand(['built-in-accounts', `${accounts}.late`], { DATABASE_URL: nowhere })
  expect(unknown.code).toBe(0)
  expect(unknown.output).toContain("is not known: the database can't be asked (")
  expect(unknown.output).not.toContain('secret')
})
