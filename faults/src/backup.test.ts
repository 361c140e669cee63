import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runCommand, temporaryFolder } from '../../server/testing/dealdeck-process.ts'
import { Client } from './client.ts'
import { findContradictions } from './consistency.ts'
import { either } from './extent.ts'
import { boss, Installation } from './installation.ts'
import { ask, ownDatabase } from './own-database.ts'
import { Workload } from './workload.ts'

/** Every row of every table, in one number a table; of a column that says which moment it is, only that it is there. */
async function fingerprints(databaseUrl: string): Promise<Record<string, string>> {
  const tables = await ask<{ name: string }>(
    databaseUrl,
    `select relname as name from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e') order by 1`,
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await ask<{ rows: string; sum: string }>(
      databaseUrl,
      `select count(*) as rows, md5(string_agg(t::text, '|' order by t::text)) as sum from ${name} t`,
    )
    found[name] = `${row?.rows} rows, ${row?.sum}`
  }
  return found
}

/**
 * What a restore changes on purpose: the feed's number goes on, its old events go with their record. Minutes go on by themselves, and
 * verdicts are found out anew from the points.
 */
function withoutCounters(found: Record<string, string>) {
  const { feed_state, feed_events, deal_changes, heartbeats, ...most } = found
  const { followers, price_state, price_verdicts, ...rest } = most
  const left = [feed_state, feed_events, deal_changes, heartbeats, followers, price_state, price_verdicts]
  expect(left).not.toContain(undefined)
  return rest
}

test('a backup beside imports and edits is whole and of one moment; restored into nothing it is the same installation', async () => {
  const source = await Installation.make({ SAMPLE_DEALS: 'off' })
  const workload = new Workload(source, [9_000])
  await source.start()
  await workload.signIn()
  const folder = await temporaryFolder()
  const ended = new AbortController()
  const running = workload.run(ended.signal)
  await sleep(either(1_000, 5_000))
  const busy = join(folder, 'busy.gz')
  expect(await runCommand(['backup', busy], source.environment)).toMatchObject({ code: 0, errors: '' })
  ended.abort()
  await running
  expect(await workload.check()).toEqual([])
  const still = join(folder, 'still.gz')
  expect(await runCommand(['backup', still], source.environment)).toMatchObject({ code: 0, errors: '' })
  const before = await fingerprints(await source.databaseUrl())

  // Made in the middle of everything, it contradicts itself nowhere.
  const early = await Installation.make({ SAMPLE_DEALS: 'off' })
  expect(await runCommand(['restore', busy], early.environment)).toMatchObject({ code: 0, errors: '' })
  await early.start()
  expect(await findContradictions(early)).toEqual([])
  expect((await (await early.administrator()).get('/api/products')).status).toBe(200)
  await early.end()

  const target = await Installation.make({ SAMPLE_DEALS: 'off' })
  expect(await runCommand(['restore', still], target.environment)).toMatchObject({ code: 0, errors: '' })
  // Looked at before anything signs in, which leaves its own traces.
  await target.start()
  const after = await fingerprints(await target.databaseUrl())
  const passing = { ...withoutCounters(before), users: '', sessions: '' }
  expect({ ...withoutCounters(after), users: '', sessions: '' }).toEqual(passing)
  expect(after.sessions).toBe(before.sessions)
  expect(after.users?.split(',')[0]).toBe(before.users?.split(',')[0])
  // Passwords and open sessions are those of the source.
  const client = new Client(target.origin)
  client.cookie = (await source.administrator()).cookie
  expect((await client.get('/api/session')).status).toBe(401)
  expect((await (await target.administrator()).get('/api/session')).status).toBe(200)
  client.cookie = workload.cookie
  expect(await (await client.get('/api/session')).json()).toMatchObject({ username: boss.username })
})

test('a backup with any byte changed or missing is refused or restores the very same rows', async () => {
  const source = { DATABASE_URL: await ownDatabase() }
  const folder = await temporaryFolder()
  const file = join(folder, 'backup.gz')
  expect(await runCommand(['create-user', 'ann', '--admin'], source)).toMatchObject({ code: 0 })
  expect(await runCommand(['sample', 'load'], source)).toMatchObject({ code: 0 })
  const kept = withoutCounters(await fingerprints(source.DATABASE_URL))
  expect(await runCommand(['backup', file], source)).toMatchObject({ code: 0 })
  const whole = await readFile(file)

  const target = { DATABASE_URL: await ownDatabase() }
  expect(await runCommand(['create-user', 'old'], target)).toMatchObject({ code: 0 })
  let refused = 0
  const attempts = either(6, 60)
  for (let attempt = 0; attempt < attempts; attempt++) {
    const at = attempt < 12 ? attempt : Math.floor(Math.random() * whole.length)
    const damaged = Buffer.from(whole)
    if (attempt % 4 !== 3) damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (attempt % 8)), at)
    const bad = join(folder, `bad-${attempt}.gz`)
    await writeFile(
      bad,
      attempt % 4 === 3 ? damaged.subarray(0, Math.floor(Math.random() * whole.length)) : damaged,
    )
    const { code, errors } = await runCommand(['restore', bad, '--replace'], target)
    if (code === 0) {
      // Bytes that say nothing about the content, such as the hour of packing.
      expect(at).toBeLessThan(10)
      expect(withoutCounters(await fingerprints(target.DATABASE_URL))).toEqual(kept)
      continue
    }
    refused += 1
    expect(errors, `attempt ${attempt} at ${at}`).toMatch(
      /^[^\n]* (is damaged or incomplete\. Nothing was changed|is not a backup of Dealdeck|was written by a newer Dealdeck.*)\.\n$/,
    )
  }
  expect(refused).toBeGreaterThan(attempts / 3)
})
