import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import {
  DealdeckProcess,
  runCommand,
  serversOn,
  startDealdeck,
  temporaryFolder,
} from '../../testing/dealdeck-process.ts'
import { cloneTemplate, dropDatabase } from '../../testing/template.ts'
import { advisoryLocks } from '../platform/database/lock-register.ts'

// Whole processes, several a test, share the machine with the rest of the run.
vi.setConfig({ testTimeout: 180_000 })

test('every verb explains itself', async () => {
  const all = await runCommand(['--help'], {})
  expect(all).toMatchObject({ code: 0, errors: '' })
  for (const verb of ['import', 'create-user', 'backup', 'restore', 'rotate-key', 'sample']) {
    expect(all.output).toContain(`  ${verb} `)
    const help = await runCommand([verb, '--help'], {})
    expect(help).toMatchObject({ code: 0, errors: '' })
    expect(help.output).toContain(`Usage: npm run cli -- ${verb}`)
  }
})

test('what it does not understand is said without a stack trace, and fails', async () => {
  const unknown = await runCommand(['fly'], {})
  expect(unknown).toMatchObject({ code: 1, output: '' })
  expect(unknown.errors).toBe("error: unknown command 'fly'\n(--help shows how)\n")
  expect((await runCommand(['constructor'], {})).errors).toMatch(/^error: unknown command 'constructor'\n/)
  const bad = await runCommand(['backup', 'x'], { PORT: 'many' })
  expect(bad).toMatchObject({ code: 1, errors: 'Setting PORT must be a port from 0 to 65535\n' })
})

test('commands work on a stopped installation and leave nothing running', async () => {
  const folder = await temporaryFolder()
  const env = { DATA_DIR: join(folder, 'data') }
  const made = await runCommand(['create-user', ' Ann ', '--admin'], env)
  expect(made).toMatchObject({ code: 0, errors: '' })
  expect(made.output).toMatch(/^Made the administrator ann\. Password: [a-z2-9]{16}\n$/)
  expect(await runCommand(['create-user', 'ann'], env)).toMatchObject({
    code: 1,
    errors: 'Username already exists. Please choose a different username.\n',
  })
  expect(await runCommand(['create-user', 'bea', '--password', 'short'], env)).toMatchObject({
    code: 1,
    errors: 'Password must be at least 6 characters long\n',
  })
  expect(await runCommand(['sample', 'load'], env)).toMatchObject({
    code: 0,
    output: 'Loaded 400 sample deals.\n',
  })
  expect(await runCommand(['sample', 'load'], env)).toMatchObject({ code: 1 })
  expect(await runCommand(['sample', 'remove'], env)).toMatchObject({ output: 'Removed 400 sample deals.\n' })
  expect(serversOn(folder)).toEqual([])
})

test('the hash of a password costs what security needs', async () => {
  const file = join(await temporaryFolder(), 'accounts.json')
  expect(await runCommand(['built-in-accounts', file], {})).toMatchObject({ code: 0, errors: '' })
  const hashes = (await readFile(file, 'utf8')).match(/\$argon2id\$[^$]*\$[^$]*\$/g)
  expect(new Set(hashes)).toEqual(new Set(['$argon2id$v=19$m=19456,t=2,p=1$']))
})

test('backup beside the running application, restore only after it has stopped', async () => {
  const folder = await temporaryFolder()
  const env = { DATA_DIR: join(folder, 'data') }
  const file = join(folder, 'backup.gz')
  const dealdeck = startDealdeck(env)
  await dealdeck.address()
  expect(await runCommand(['backup', file], env)).toMatchObject({ code: 0, errors: '' })
  expect(await readdir(folder)).toEqual(['backup.gz', 'data'])
  expect(await runCommand(['restore', file, '--replace'], env)).toMatchObject({
    code: 1,
    errors: 'Dealdeck is using this database. Stop it (and other commands) first, then restore.\n',
  })
  dealdeck.kill('SIGTERM')
  expect(await dealdeck.ended()).toBe(0)
  const other = { DATA_DIR: join(folder, 'other') }
  expect(await runCommand(['restore', file], other)).toMatchObject({ code: 0, errors: '' })
  const again = await runCommand(['restore', file], other)
  expect(again).toMatchObject({ code: 1 })
  expect(again.errors).toContain('Add --replace')
})

test('a command interrupted while its database starts leaves nothing running', async () => {
  const folder = await temporaryFolder()
  const command = new DealdeckProcess('cli/main.ts', ['sample', 'load'], { DATA_DIR: join(folder, 'data') })
  while (serversOn(folder).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  command.kill('SIGINT')
  expect(await command.ended()).toBe(1)
  expect(command.errors).toBe('Interrupted.\n')
  expect(serversOn(folder)).toEqual([])
})

test('a command interrupted at its work leaves nothing running', async () => {
  const folder = await temporaryFolder()
  const script = join(folder, 'endless.ts')
  await writeFile(
    script,
    `import { withDatabases } from ${JSON.stringify(import.meta.resolve('./database.ts'))}
     await withDatabases(async ({ databases }) => {
       const client = await databases.durablePool.connect()
       console.log('working')
       await client.query('select pg_sleep(1000)')
     }).catch((error: Error) => console.log(error.message))
     process.exit(1)`,
  )
  const command = new DealdeckProcess(script, [], { DATA_DIR: join(folder, 'data') })
  await command.says(/working/)
  command.kill('SIGTERM')
  expect(await command.ended()).toBe(1)
  expect(command.output).toBe('working\nInterrupted.\n')
  expect(serversOn(folder)).toEqual([])
})

test('a command whose reader has gone does its work all the same', async () => {
  const clusterUrl = inject('clusterUrl')
  const url = await cloneTemplate(clusterUrl, inject('templateName'))
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  onTestFinished(async () => {
    await other.end()
    await dropDatabase(clusterUrl, url)
  })
  // It says that it waits for this lock, as whatever says something in the middle of its work.
  await other.query(`begin; select pg_advisory_xact_lock(${advisoryLocks.migrations.key})`)
  const command = new DealdeckProcess('cli/main.ts', ['create-user', 'ann'], { DATABASE_URL: url })
  command.child.stdout?.destroy()
  command.child.stderr?.destroy()
  const waiting = "select from pg_locks where locktype = 'advisory' and not granted"
  await expect.poll(async () => (await other.query(waiting)).rowCount, { timeout: 60_000 }).toBe(1)
  // Long enough to have heard that nobody listens.
  await new Promise((resolve) => setTimeout(resolve, 300))
  await other.query('rollback')
  expect(await command.ended()).toBe(0)
  expect((await other.query("select from users where username = 'ann'")).rowCount).toBe(1)
})
