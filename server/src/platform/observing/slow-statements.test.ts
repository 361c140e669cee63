import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { openDatabases } from '../database/database.ts'
import { memberContext } from '../member-context.ts'
import { logSlowStatements } from './slow-statements.ts'

const { url } = await testDatabases()

async function logged(limitMs: number, work: (databases: ReturnType<typeof openDatabases>) => Promise<void>) {
  const output = new PassThrough()
  const databases = openDatabases(url, () => undefined)
  logSlowStatements(databases, limitMs, pino({ base: undefined, timestamp: false }, output))
  await work(databases).finally(() => databases.close())
  const lines = String(output.read() ?? '')
    .split('\n')
    .filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

test('a statement that takes as long as the limit is written down, however it was asked, without its values', async () => {
  const lines = await logged(100, async ({ customPlanPool, db, durablePool }) => {
    await customPlanPool.query("select pg_sleep($1),\n 'secret' as word, 'it''s' as other", [0.15])
    await sql`select pg_sleep(${0.15}) as slept`.execute(db)
    await durablePool.query({ text: 'select 1 / (pg_sleep(0.15) is null)::int' }).catch(() => undefined)
    const client = await customPlanPool.connect()
    await new Promise((resolve) => client.query('select pg_sleep(0.15) as called', resolve))
    client.release()
    await customPlanPool.query("select 'fast'")
  })
  const told = lines.map(({ pool, failed, statement, msg }) => [pool, failed, statement, msg])
  expect(told).toEqual([
    ['read', false, "select pg_sleep($1), '…' as word, '…' as other", 'Slow statement'],
    ['read', false, 'select pg_sleep($1) as slept', 'Slow statement'],
    ['write', true, 'select 1 / (pg_sleep(0.15) is null)::int', 'Slow statement'],
    ['read', false, 'select pg_sleep(0.15) as called', 'Slow statement'],
  ])
  for (const { ms } of lines) expect(ms).toBeGreaterThanOrEqual(100)
})

test('each names the member it was asked for, also where it waited for a connection', async () => {
  const lines = await logged(100, async ({ customPlanPool, db }) => {
    const ask = (member: string) =>
      memberContext.run(member, async () => {
        await customPlanPool.query('select pg_sleep(0.15), $1::text', [member])
        await sql`select pg_sleep(0.15), ${member}::text as kysely`.execute(db)
      })
    // More than there are connections: the last ones get theirs from those before them.
    const members = Array.from({ length: customPlanPool.options.max * 2 + 1 }, (_, at) => `user ${at}`)
    await Promise.all([...members.map(ask), customPlanPool.query('select pg_sleep(0.15) as nobody')])
  })
  const counts = Map.groupBy(lines, ({ by }) => by)
  for (const [member, of] of counts)
    expect([member, of.length]).toEqual([member, member === undefined ? 1 : 2])
  expect(counts.get(undefined)?.[0].statement).toContain('nobody')
})

test('0 writes none down', async () => {
  expect(
    await logged(0, async ({ customPlanPool }) => void (await customPlanPool.query('select pg_sleep(0.15)'))),
  ).toEqual([])
})

test('a statement that never comes to the server is not taken for the next one on its connection', async () => {
  const lines = await logged(100, async ({ customPlanPool }) => {
    const client = await customPlanPool.connect()
    await client.query({ name: 'taken', text: 'select 1' })
    await client.query({ name: 'taken', text: 'select 2' }).catch(() => undefined)
    await sleep(150)
    await client.query("select 'fast'")
    await sleep(150)
    await Promise.all(["select 'quick'", 'select pg_sleep(0.15)'].map((text) => client.query(text)))
    client.release()
  })
  expect(lines.map(({ statement }) => statement)).toEqual(['select pg_sleep(0.15)'])
})
