import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test, vi } from 'vitest'
import { whenDone } from '../../testing/cleanup.ts'
import { DealdeckProcess, runCommand, temporaryFolder } from '../../testing/dealdeck-process.ts'
import { cloneTemplate, dropDatabase } from '../../testing/template.ts'
import { type Databases, openDatabases } from '../platform/database/database.ts'
import { SecretBox, secretPlaces } from '../platform/secret-box.ts'

// Whole processes, several a test, share the machine with the rest of the run.
vi.setConfig({ testTimeout: 180_000 })

const key = () => randomBytes(32).toString('base64')

type Installation = {
  env: { DATABASE_URL: string; DATA_DIR: string }
  databases: Databases
  /** Seals two sources' secrets, a destination's with its code, and a token as a process with these settings does. */
  fill(settings?: { SECRET_KEY: string }): Promise<void>
  /** All secrets as a process with these settings opens them. */
  openAll(settings?: { SECRET_KEY?: string; SECRET_KEY_OLD?: string }): Promise<string[]>
  /** The ids of the keys that have sealed them. */
  keyIds(): Promise<string[]>
}

const tokenHash = Buffer.from('a hash')

async function install(): Promise<Installation> {
  const clusterUrl = inject('clusterUrl')
  const DATABASE_URL = await cloneTemplate(clusterUrl, inject('templateName'))
  const DATA_DIR = join(await temporaryFolder(), 'data')
  const databases = openDatabases(DATABASE_URL, () => {})
  whenDone(async () => {
    await databases.close()
    await dropDatabase(clusterUrl, DATABASE_URL)
  })
  const pool = databases.durablePool
  const boxOf = (given = {}) => new SecretBox({ SECRET_KEY: '', SECRET_KEY_OLD: '', DATA_DIR, ...given })
  const rows = async () => [
    ...(await pool.query('select secrets as text, id from sources where secrets is not null order by id'))
      .rows,
    ...(
      await pool.query(
        `select secrets as text, 'destinations.secrets ' || id as place from destinations
         union all select code, 'destinations.code ' || id from destinations order by place desc`,
      )
    ).rows,
    ...(await pool.query('select token as text from service_tokens')).rows,
  ]
  return {
    ...{ env: { DATABASE_URL, DATA_DIR }, databases },
    async fill(given = { SECRET_KEY: '' }) {
      const box = boxOf(given)
      for (const name of ['one', 'two', 'without']) {
        const { rows } = await pool.query(
          `insert into sources (kind, name, settings, interval_from, interval_to, keeps_history, may_leave, is_paused)
           values ('address', $1, '{}', 60, 60, true, '{}', true) returning id`,
          [name],
        )
        if (name === 'without') continue
        const sealed = await box.seal(`secret of ${name}`, secretPlaces.source(rows[0].id))
        await pool.query('update sources set secrets = $1 where id = $2', [sealed, rows[0].id])
      }
      const { rows } = await pool.query(
        `insert into destinations (kind, name, settings, state) values ('ntfy', 'phone', '{}', 'unconfirmed') returning id`,
      )
      const id = rows[0].id
      await pool.query('update destinations set secrets = $1, code = $2 where id = $3', [
        await box.seal('secret of a destination', secretPlaces.destination(id)),
        await box.seal('a code', secretPlaces.destinationCode(id)),
        id,
      ])
      const token = await box.seal('a token', secretPlaces.serviceToken(tokenHash))
      await pool.query("insert into service_tokens values ($1, $2, now() + interval '1 h')", [
        tokenHash,
        token,
      ])
    },
    async openAll(given = {}) {
      const box = boxOf(given)
      return Promise.all(
        (await rows()).map(({ text, id, place }) =>
          box.open(text, place ?? (id ? secretPlaces.source(id) : secretPlaces.serviceToken(tokenHash))),
        ),
      )
    },
    async keyIds() {
      return [...new Set((await rows()).map(({ text }) => text.split('.')[1]))]
    },
  }
}

const secrets = ['secret of one', 'secret of two', 'secret of a destination', 'a code', 'a token']

test('all secrets are sealed with a new key of DATA_DIR, and it is said where that is', async () => {
  const { env, fill, openAll, keyIds } = await install()
  const nothing = await runCommand(['rotate-key'], env)
  expect(nothing).toMatchObject({ code: 0, output: 'There are no secrets yet, so nothing was changed.\n' })
  await fill()
  const before = await keyIds()
  const done = await runCommand(['rotate-key'], env)
  expect(done).toMatchObject({ code: 0, errors: '' })
  expect(done.output).toContain(
    `Sealed 5 secrets with a new key, the first line of ${env.DATA_DIR}/secret.key.`,
  )
  expect(await openAll()).toEqual(secrets)
  const after = await keyIds()
  expect(after).toHaveLength(1)
  expect(after).not.toEqual(before)
  for (const line of (await readFile(join(env.DATA_DIR, 'secret.key'), 'utf8')).trim().split('\n'))
    expect(done.output).not.toContain(line)
})

test('killed in the middle it has lost nothing, and can be started again', async () => {
  const { env, databases, fill, openAll, keyIds } = await install()
  await fill()
  const before = await keyIds()
  const pool = databases.durablePool
  await pool.query(`create function hold() returns trigger language plpgsql as
    $$ begin if new.name = 'two' then perform pg_sleep(600); end if; return new; end $$`)
  await pool.query('create trigger hold before update on sources for each row execute function hold()')
  const command = new DealdeckProcess('cli/main.ts', ['rotate-key'], env)
  const holding = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  while ((await pool.query(holding)).rowCount === 0) {
    if (command.child.exitCode !== null) throw new Error(command.errors)
    await sleep(50)
  }
  command.kill('SIGKILL')
  await command.ended()
  // The new key is there by then, and whoever seals uses it.
  expect((await readFile(join(env.DATA_DIR, 'secret.key'), 'utf8')).trim().split('\n')).toHaveLength(2)
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
  )
  expect(await openAll()).toEqual(secrets)
  expect(await keyIds()).toEqual(before)
  await pool.query('drop trigger hold on sources')
  expect(await runCommand(['rotate-key'], env)).toMatchObject({ code: 0, errors: '' })
  expect(await openAll()).toEqual(secrets)
  expect(await keyIds()).not.toEqual(before)
})

test('two at once end with one key for all, and every text can be opened', async () => {
  const { env, fill, openAll, keyIds } = await install()
  await fill()
  const [one, other] = await Promise.all([runCommand(['rotate-key'], env), runCommand(['rotate-key'], env)])
  expect([one.code, other.code]).toEqual([0, 0])
  expect(await openAll()).toEqual(secrets)
  expect(await keyIds()).toHaveLength(1)
})

test('with SECRET_KEY it takes that key, from a file or from SECRET_KEY_OLD', async () => {
  const { env, fill, openAll } = await install()
  await fill()
  const [first, second] = [key(), key()]
  const run = (settings: Record<string, string>) => runCommand(['rotate-key'], { ...env, ...settings })
  expect((await run({ SECRET_KEY: first })).output).toMatch(/^Sealed 5 secrets with SECRET_KEY\./)
  expect((await run({ SECRET_KEY: first })).output).toMatch(
    /^SECRET_KEY has sealed all secrets already\. For another key/,
  )
  const lost = await run({ SECRET_KEY: second })
  expect(lost).toMatchObject({ code: 1, output: '' })
  expect(lost.errors).toMatch(
    /^Nothing was changed\. The source "one": A secret is sealed with a key [^\n]+\n$/,
  )
  expect(await openAll({ SECRET_KEY: first })).toEqual(secrets)
  expect(await run({ SECRET_KEY: second, SECRET_KEY_OLD: first })).toMatchObject({ code: 0, errors: '' })
  expect(await openAll({ SECRET_KEY: second })).toEqual(secrets)
})

test('a lent token whose key is lost is forgotten', async () => {
  const { env, databases, fill, openAll } = await install()
  await fill()
  const box = new SecretBox({ SECRET_KEY: key(), SECRET_KEY_OLD: '', DATA_DIR: '' })
  const token = await box.seal('a token', secretPlaces.serviceToken(tokenHash))
  await databases.durablePool.query('update service_tokens set token = $1', [token])
  const done = await runCommand(['rotate-key'], env)
  expect(done).toMatchObject({ code: 0, errors: '' })
  expect(done.output).toMatch(
    /^Removed 1 lent tokens whose key is lost; there will be others\.\nSealed 4 secrets/,
  )
  expect(await openAll()).toEqual(secrets.slice(0, 4))
})

test('a backup says that it needs the key, which it does not hold', async () => {
  const { env, fill } = await install()
  const file = join(await temporaryFolder(), 'backup.gz')
  expect((await runCommand(['backup', file], env)).output).not.toContain('secret.key')
  await fill()
  const { output } = await runCommand(['backup', file], env)
  expect(output).toContain(`${env.DATA_DIR}/secret.key`)
  expect((await runCommand(['backup', file], { ...env, SECRET_KEY: key() })).output).toContain('SECRET_KEY')
})
