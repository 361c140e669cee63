import { expect, test } from 'vitest'
import { testDatabases } from '../../testing/database.ts'
import { runCommand } from '../../testing/dealdeck-process.ts'
import { makeSource } from '../../testing/sources.ts'
import { startWebServer } from '../../testing/web-server.ts'

test('sources are listed, tried and run by hand', { timeout: 60_000 }, async () => {
  const databases = await testDatabases()
  const deal = { asin: 'B0COMMAND1', title: 'Copper kettle with a lid', price: 12, availability: 'In stock' }
  let deals: object[] = [deal]
  const server = await startWebServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(deals))
  })
  const id = await makeSource(databases, { name: 'Kettles' })
  await databases.durablePool.query('update sources set settings = $1', [
    JSON.stringify({ url: `${server.origin}/kettles.json` }),
  ])
  const env = { DATABASE_URL: databases.url, FETCH_ALLOW: '127.0.0.1/32' }
  const command = async (...args: string[]) => runCommand(['sources', ...args], env)
  expect(await command('try', String(id))).toMatchObject({
    code: 0,
    output: expect.stringContaining('Kettles: 1 row read\n  row 1: B0COMMAND1 12 Copper kettle'),
  })
  expect((await databases.customPlanPool.query('select from deals')).rowCount).toBe(0)
  const ran = await command('run', String(id))
  expect([ran.code, ran.output]).toEqual([
    0,
    expect.stringContaining('Kettles: done, 1 row\n  created 1, updated 0'),
  ])
  expect((await command('list')).output).toMatch(
    /^id\s+kind\s+name\s+state[\s\S]*address\s+Kettles\s+ok\s+.*It is asked again/,
  )
  deals = [deal, { ...deal, asin: 'B0COMMAND2', price: '19.99 €' }]
  expect((await command('try', String(id))).output).toContain(
    [
      '  row 2: waits, B0COMMAND2 19.99 EUR Copper kettle with a lid',
      '    Its price is in EUR, not in USD. Let through, 19.99 counts as $19.99.',
      '  held, another currency: EUR: 1',
    ].join('\n'),
  )
  expect(await command('run', '999')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('no longer exists'),
  })
  expect(await command('run', 'x')).toMatchObject({
    code: 1,
    errors: expect.stringContaining("'x' is no id"),
  })
})
