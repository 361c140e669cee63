import { expect, test } from 'vitest'
import { testDatabases } from '../../testing/database.ts'
import { runCommand } from '../../testing/dealdeck-process.ts'
import { makeDestination, queueMatch, readDelivery } from '../../testing/outbox.ts'

test('messages are listed, and those given up sent again, by hand', { timeout: 60_000 }, async () => {
  const databases = await testDatabases()
  const destination = await makeDestination(databases, 'http://127.0.0.1:1', { name: 'My door' })
  const [dead, waiting, sent] = [
    await queueMatch(databases, destination),
    await queueMatch(databases, destination),
    await queueMatch(databases, destination),
  ]
  const set = (id: number, state: string, attempts: number) =>
    databases.durablePool.query(
      `update deliveries set state = $2, attempts = $3, reason = 'It answered 500.', next_at = now() + interval '1 hour' where id = $1`,
      [id, state, attempts],
    )
  await set(dead.id, 'dead', 10)
  await set(waiting.id, 'queued', 3)
  await set(sent.id, 'sent', 1)
  const env = { DATABASE_URL: databases.url }
  const command = async (...args: string[]) => runCommand(['deliveries', ...args], env)
  expect((await command('list', '--state', 'dead')).output).toMatch(
    /^id\s+since \(UTC\)[\s\S]*deal\s+dead\s+webhook My door \(group\)\s+10 tried\s+It answered 500\.\n$/,
  )
  expect((await command('list')).output.trim().split('\n')).toHaveLength(4)
  expect(await command('retry', '--dead')).toMatchObject({ code: 0, output: '1 message is sent again.\n' })
  expect(await readDelivery(databases, dead.id)).toMatchObject({ state: 'queued', attempts: 0, reason: '' })
  expect(await command('retry', String(waiting.id))).toMatchObject({ code: 0 })
  expect(await readDelivery(databases, waiting.id)).toMatchObject({ state: 'queued', attempts: 0 })
  for (const [args, errors] of [
    [[String(sent.id)], 'neither given up nor waiting'],
    [['x'], "'x' is no id"],
    [[], 'Name messages by their ids'],
  ] as const)
    expect(await command('retry', ...args)).toMatchObject({
      code: 1,
      errors: expect.stringContaining(errors),
    })
})
