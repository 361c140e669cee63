import { expect, test } from 'vitest'
import { testDatabases } from './database.ts'
import { makeDeal, makeUser } from './factories.ts'

const databases = await testDatabases()

test('the database is migrated and belongs to this file alone', async () => {
  const { rows } = await databases.customPlanPool.query('select count(*) as n from deals')
  expect(rows).toEqual([{ n: 0 }])
})

test('factories make rows that pass the constraints', async () => {
  const user = await makeUser(databases, { role: 'admin' })
  const deal = await makeDeal(databases, { price: 5, original_price: 20 })
  expect(user).toMatchObject({ role: 'admin', status: 'approved', is_active: true })
  expect(deal).toMatchObject({ discount_percentage: 75, is_visible: true })
})

test('the time zone of tests is Asia/Kathmandu', () => {
  expect(process.env.TZ).toBe('Asia/Kathmandu')
  expect(new Date('2026-01-01T00:00:00Z').getTimezoneOffset()).toBe(-345)
})
