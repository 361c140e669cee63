import { expect, test } from 'vitest'
import { blacklistedWordSchema } from './blacklist.ts'
import { dealSchema } from './deals.ts'
import { filterCategorySchema, filterRecordSchema } from './filters.ts'
import { roleSchema, sessionSchema, userStatusSchema } from './session.ts'
import { userRecordSchema } from './users.ts'

/** What other people's scripts rely on: these fields stay, others may join them. */
const promised = {
  deal: [
    dealSchema,
    'id asin title price original_price discount_percentage rating review_count image_url product_url availability prime_eligible first_seen last_updated posted_to_discord discord_timestamp',
  ],
  word: [blacklistedWordSchema, 'id word is_active created_at'],
  user: [userRecordSchema, 'id username role status is_active created_at'],
  filter: [filterRecordSchema, 'id category name code created_at updated_at'],
  session: [sessionSchema, 'id username role status'],
} as const

test.each(Object.entries(promised))('a %s has its fields', (_name, [schema, fields]) => {
  expect(Object.keys(schema.shape)).toEqual(expect.arrayContaining(fields.split(' ')))
})

test('no record of a user holds a password', () => {
  const fields = [...Object.keys(userRecordSchema.shape), ...Object.keys(sessionSchema.shape)]
  expect(fields.filter((field) => /password|hash|token/.test(field))).toEqual([])
})

test('roles, states and categories are the known ones', () => {
  expect(roleSchema.options).toEqual(['admin', 'user'])
  expect([...userStatusSchema.options].sort()).toEqual(['approved', 'pending', 'rejected'])
  expect(filterCategorySchema.options).toEqual([
    'brands',
    'deals',
    'percent_off',
    'departments',
    'sold_by',
    'sort_by',
  ])
})
