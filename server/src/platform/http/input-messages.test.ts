import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { answerErrors, toAppError } from './http-errors.ts'

answerErrors(Fastify())

const body = z.strictObject({
  name: z.string().max(5).default(''),
  tags: z.array(z.string()).max(1).default([]),
  count: z.number().int().min(2).max(9).default(2),
  isOn: z.boolean().default(false),
  role: z.enum(['admin', 'user']).default('user'),
  inner: z.object({ at: z.iso.datetime() }).optional(),
  either: z.union([z.number(), z.literal('all')]).optional(),
  shop: z.string().min(1).default('a'),
  code: z.string().length(2).default('us'),
  kind: z
    .discriminatedUnion('of', [z.object({ of: z.literal('a') }), z.object({ of: z.literal('b') })])
    .optional(),
  needed: z.string().default(''),
})
const strict = body.extend({ needed: z.string() })

test.each([
  [{ name: 5 }, 'name must be a text'],
  [{ name: 'longer' }, 'name must be at most 5 characters long'],
  [{ tags: 'a' }, 'tags must be a list'],
  [{ tags: [1] }, 'tags.0 must be a text'],
  [{ tags: ['a', 'b'] }, 'tags must hold at most 1'],
  [{ count: 'a' }, 'count must be a number'],
  [{ count: 2.5 }, 'count must be a whole number'],
  [{ count: 1 }, 'count must be at least 2'],
  [{ count: 10 }, 'count must be at most 9'],
  [{ isOn: 1 }, 'isOn must be true or false'],
  [{ role: 'x' }, 'role must be one of admin, user'],
  [{ inner: 5 }, 'inner must be an object'],
  [{ inner: {} }, 'inner.at is missing'],
  [{ inner: { at: 'now' } }, 'inner.at must be a time such as 2026-01-31T12:00:00Z'],
  [{ either: 'none' }, 'either is of no form that is known'],
  [{ shop: '' }, 'shop must not be empty'],
  [{ code: 'usa' }, 'code must be exactly 2 characters long'],
  [{ code: 'u' }, 'code must be exactly 2 characters long'],
  [{ kind: {} }, 'kind.of must be one of a, b'],
  [{ other: 1 }, 'other is not known here'],
  [[], 'Send a JSON object as the body'],
  [undefined, 'Send a JSON object as the body'],
])('what is wrong is said with its field, and in plain words: %j', (given, message) => {
  const { error } = body.safeParse(given)
  expect(toAppError(error)).toMatchObject({ code: 'INVALID_INPUT', message })
})

test('what is missing is said to be', () => {
  const { error } = strict.safeParse({})
  expect(toAppError(error)).toMatchObject({ message: 'needed is missing', fields: { needed: 'is missing' } })
})
