import { describe, expect, test } from 'vitest'
import { whenDone } from '../../../../testing/cleanup.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { makeSource } from '../../../../testing/sources.ts'
import { openDatabases } from '../../../platform/database/database.ts'
import { claimSource } from './claims.ts'
import { keyHash, serviceBudgets } from './service-budget.ts'

const databases = await testDatabases()
const { customPlanPool: pool } = databases

/** The budgets as four processes have them, each with connections of its own. */
const processes = [0, 1, 2, 3].map(() => {
  const own = openDatabases(databases.url, () => {})
  whenDone(() => own.close())
  return serviceBudgets(own.durableDb)
})
const [first, second] = processes
if (!first || !second) throw new Error('There are four')

let keys = 0
const newKey = () => `key ${keys++}`

/** Moves what is stored of a key into the past, as if so many seconds had gone by. */
async function letPass(key: string, seconds: number): Promise<void> {
  await pool.query(
    `update service_budgets set as_of = as_of - $2 * interval '1 second', reservations = (
       select coalesce(jsonb_agg(r || jsonb_build_object('until', (r ->> 'until')::timestamptz - $2 * interval '1 second')), '[]')
       from jsonb_array_elements(reservations) r) where key_hash = $1`,
    [keyHash(key), seconds],
  )
}

async function stored(key: string) {
  const { rows } = await pool.query<{ tokens: number; reserved: number }>(
    `select tokens, (select coalesce(sum((r ->> 'cost')::real), 0) from jsonb_array_elements(reservations) r) as reserved
     from service_budgets where key_hash = $1`,
    [keyHash(key)],
  )
  return rows[0]
}

const left = (tokens: number, more: object = {}) => ({
  ...{ tokens, refillPerMinute: 5, refillInMs: 30_000 },
  ...more,
})

describe('a service whose answers say what is left', () => {
  test('four processes never set aside more than there is', async () => {
    const key = newKey()
    await first(key).settle(left(52))
    const asked = await Promise.all(
      Array.from({ length: 80 }, (_, at) => (processes[at % 4] ?? first)(key).take(5, 0)),
    )
    expect(asked.filter(({ granted }) => granted)).toHaveLength(10)
    expect(await stored(key)).toEqual({ tokens: 52, reserved: 50 })
  })

  test('an unknown key is asked about by one process, and the others wait for what that hears', async () => {
    const key = newKey()
    const asked = await Promise.all(processes.map((budget) => budget(key).take(5, 0)))
    expect(asked.map(({ granted }) => granted).sort()).toEqual([false, false, false, true])
    await letPass(key, 121)
    const budget = second(key)
    expect(await budget.take(5, 0)).toEqual({ granted: true })
    await budget.settle(left(20))
    expect(await stored(key)).toEqual({ tokens: 20, reserved: 0 })
  })

  test('what nobody answered is free again after two minutes', async () => {
    const key = newKey()
    await first(key).settle(left(5, { refillInMs: 600_000 }))
    expect(await first(key).take(5, 0)).toEqual({ granted: true })
    expect(await second(key).take(5, 0)).toMatchObject({ granted: false })
    await letPass(key, 90)
    expect(await second(key).take(5, 0)).toMatchObject({ granted: false })
    await letPass(key, 31)
    expect(await second(key).take(5, 0)).toEqual({ granted: true })
    expect(await stored(key)).toEqual({ tokens: 5, reserved: 5 })
  })

  test('what a killed run had set aside is free once its source is taken up, and lapses beside requests under way', async () => {
    const key = newKey()
    const source = await makeSource(databases)
    const killed = await claimSource(databases, source)
    await first(key).settle(left(50))
    const [ghost, other] = [first(key, undefined, killed?.runId), second(key, undefined, 1_000_000)]
    expect(await ghost.take(5, 0)).toEqual({ granted: true })
    expect(await other.take(20, 0)).toEqual({ granted: true })
    await pool.query(`update sources set running_at = now() - interval '20 seconds' where id = $1`, [source])
    expect(await claimSource(databases, source)).toBeDefined()
    expect(await stored(key)).toEqual({ tokens: 50, reserved: 20 })
    await letPass(key, 100)
    expect(await first(key).take(5, 0)).toEqual({ granted: true })
    await letPass(key, 30)
    expect(await second(key).take(50, 0)).toMatchObject({ granted: true })
  })

  test('tokens come back in steps of a minute, up to those of an hour', async () => {
    const key = newKey()
    await first(key).settle(left(-7, { refillInMs: 50_000 }))
    const refused = await first(key).take(5, 0)
    if (refused.granted) throw new Error('There are no tokens')
    // 12 are missing: the third step of 5, 50 seconds and two minutes from now.
    const seconds = (refused.until.getTime() - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(150)
    expect(seconds).toBeLessThan(180)
    await letPass(key, 140)
    expect(await first(key).take(5, 0)).toMatchObject({ granted: false })
    await letPass(key, 31)
    expect(await first(key).take(5, 0)).toEqual({ granted: true })
    await first(key).settle(left(4))
    await letPass(key, 86_400)
    expect(await second(key).take(301, 0)).toMatchObject({ granted: false })
    expect(await second(key).take(300, 0)).toEqual({ granted: true })
  })

  test('the reserve is left, unless the key can never hold it', async () => {
    const key = newKey()
    await first(key).settle(left(104))
    expect(await first(key).take(5, 100)).toMatchObject({ granted: false })
    expect(await first(key).take(4, 100)).toEqual({ granted: true })
    const small = newKey()
    await first(small).settle(left(300))
    expect(await first(small).take(5, 1_000)).toEqual({ granted: true })
  })

  test('an answer that comes late brings back nothing that another request has spent', async () => {
    const key = newKey()
    await first(key).settle(left(100))
    const [early, late] = [first(key), second(key)]
    await early.take(5, 0)
    await late.take(20, 0)
    await late.settle(left(75))
    await early.settle(left(95))
    expect(await stored(key)).toEqual({ tokens: 75, reserved: 0 })
    // Once the minute is over, what the service says is believed again, such as after another plan was bought.
    await letPass(key, 61)
    await late.take(5, 0)
    await late.settle(left(900))
    expect(await stored(key)).toEqual({ tokens: 900, reserved: 0 })
  })

  test('the key itself is not stored', async () => {
    const key = 'a key that nobody may read'
    await first(key).settle(left(1))
    const { rows } = await pool.query('select row_to_json(b)::text as text from service_budgets b')
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(key).toString('hex'))
    expect(JSON.stringify(rows)).not.toContain(key)
  })
})

describe('a service that is counted here', () => {
  const pace = { most: 8, perMinute: 60 }

  test('four processes make no more requests than its pace allows', async () => {
    const key = newKey()
    const slow = { most: 8, perMinute: 0.001 }
    const asked = await Promise.all(
      Array.from({ length: 40 }, (_, at) => (processes[at % 4] ?? first)(key, slow).take(1, 0)),
    )
    expect(asked.filter(({ granted }) => granted)).toHaveLength(8)
  })

  test('what time brings is added to it, up to its most', async () => {
    const key = newKey()
    expect(await first(key, pace).take(8, 0)).toEqual({ granted: true })
    const slow = { most: 8, perMinute: 0.5 }
    const refused = await first(key, slow).take(1, 0)
    if (refused.granted) throw new Error('It is empty')
    expect(refused.until.getTime() - Date.now()).toBeGreaterThan(100_000)
    await letPass(key, 3)
    expect(await second(key, pace).take(3, 0)).toEqual({ granted: true })
    await letPass(key, 3_600)
    expect(await second(key, pace).take(9, 0)).toMatchObject({ granted: false })
    expect(await second(key, pace).take(8, 0)).toEqual({ granted: true })
  })
})
