import { z } from 'zod'
import { route } from './access.ts'
import { queryBoolean, queryInteger, rowId } from './query.ts'
import { passwordSchema, roleSchema, usernameSchema, userStatusSchema } from './session.ts'

/** An account as administrators see it. Never a password or a hash of one. Times in ISO 8601 UTC. */
export const userRecordSchema = z.object({
  id: z.number(),
  username: z.string(),
  role: roleSchema,
  status: userStatusSchema,
  is_active: z.boolean(),
  created_at: z.string(),
  /** When an administrator, or the user's own new password, changed the account last. */
  updated_at: z.string(),
  /** Null for somebody who never signed in. */
  last_sign_in_at: z.string().nullable(),
  /** How many sessions of this user are open now. */
  live_sessions: z.number(),
})
export type UserRecord = z.infer<typeof userRecordSchema>

export const userListInputSchema = z.strictObject({
  /** A part of the username, in any case. */
  search: z.string().trim().toLowerCase().max(200).default(''),
  role: roleSchema.optional(),
  status: userStatusSchema.optional(),
  is_active: queryBoolean.optional(),
  limit: queryInteger(1, 200).default(50),
  cursor: z.string().max(200).optional(),
})
export type UserListInput = z.infer<typeof userListInputSchema>

const userPageSchema = z.object({
  items: z.array(userRecordSchema),
  /** Where the next page begins; null at the end. */
  next_cursor: z.string().nullable(),
  /** How many users match, on all pages. */
  total: z.number(),
  /** The users table can't be read: these are the built-in accounts, and nothing can be changed. */
  is_fallback: z.literal(true).optional(),
})
export type UserPage = z.infer<typeof userPageSchema>

/** New accounts are approved and active. */
const userInputSchema = z.strictObject({
  username: usernameSchema,
  password: passwordSchema,
  role: roleSchema.default('user'),
})
export type UserInput = z.infer<typeof userInputSchema>

const userChangeSchema = z.object({
  username: usernameSchema.optional(),
  password: passwordSchema.optional(),
  role: roleSchema.optional(),
  status: userStatusSchema.optional(),
  is_active: z.boolean({ error: 'must be true or false' }).optional(),
  /** The `updated_at` this change was based on. When the user has changed since, nothing happens and CONFLICT says so. */
  expected_updated_at: z.iso
    .datetime({ offset: true, error: 'must be the updated_at of the user as it was read' })
    .optional(),
})
export type UserChange = z.infer<typeof userChangeSchema>

const idInput = z.strictObject({ id: rowId })

export const userRoutes = {
  list: route
    .route({ method: 'GET', path: '/api/users', summary: 'Accounts, newest first' })
    .meta({ access: 'admin' })
    .input(userListInputSchema)
    .output(userPageSchema),
  create: route
    .route({ method: 'POST', path: '/api/users', summary: 'Add an approved account', successStatus: 201 })
    .meta({ access: 'admin' })
    .input(userInputSchema)
    .output(userRecordSchema),
  update: route
    .route({
      method: 'PATCH',
      path: '/api/users/{id}',
      summary: 'Change, approve, reject or (de)activate an account',
    })
    .meta({ access: 'admin' })
    .input(idInput.extend(userChangeSchema.shape))
    .output(userRecordSchema),
  remove: route
    .route({
      method: 'DELETE',
      path: '/api/users/{id}',
      summary: 'Delete an account for good',
      successStatus: 204,
    })
    .meta({ access: 'admin' })
    .input(idInput),
}
