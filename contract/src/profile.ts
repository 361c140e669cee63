import { z } from 'zod'
import { route } from './access.ts'
import { queryInteger, rowId } from './query.ts'
import { passwordToBe } from './session.ts'

/** One sign-in of one's own that is still good. Times in ISO 8601 UTC. */
const ownSessionSchema = z.object({
  id: z.number(),
  /** The browser and system in words, such as 'Firefox on Linux'. */
  device: z.string(),
  /** Where it was used last, as an IP address; empty when that isn't known. */
  address: z.string(),
  created_at: z.string(),
  /** Exact to five minutes. */
  last_used_at: z.string(),
  /** Whether it is the one that asks. */
  is_current: z.boolean(),
})
export type OwnSession = z.infer<typeof ownSessionSchema>

const ownSessionListInputSchema = z.strictObject({
  limit: queryInteger(1, 200).default(50),
  cursor: z.string().max(200).optional(),
})
export type OwnSessionListInput = z.infer<typeof ownSessionListInputSchema>

const ownSessionPageSchema = z.object({
  items: z.array(ownSessionSchema),
  /** How many there are in all. */
  total: z.number(),
  next_cursor: z.string().nullable(),
})
export type OwnSessionPage = z.infer<typeof ownSessionPageSchema>

const bothNeeded = 'Please enter your current and your new password'

const passwordChangeSchema = z.strictObject({
  current_password: z
    .string({ error: bothNeeded })
    .trim()
    .min(1, bothNeeded)
    .max(200, 'This password is too long'),
  new_password: passwordToBe(bothNeeded),
})
export type PasswordChange = z.infer<typeof passwordChangeSchema>

export const profileRoutes = {
  changePassword: route
    .route({
      method: 'POST',
      path: '/api/profile/password',
      summary: 'Change one’s own password, which ends all other sessions',
      successStatus: 204,
    })
    .meta({ access: 'user' })
    .input(passwordChangeSchema),
  sessions: route
    .route({
      method: 'GET',
      path: '/api/profile/sessions',
      summary: 'One’s own open sessions: the one that asks, then the last used first',
    })
    .meta({ access: 'user' })
    .input(ownSessionListInputSchema)
    .output(ownSessionPageSchema),
  endSession: route
    .route({
      method: 'DELETE',
      path: '/api/profile/sessions/{id}',
      summary: 'End one of one’s own sessions',
      successStatus: 204,
    })
    .meta({ access: 'user' })
    .input(z.object({ id: rowId })),
  endOtherSessions: route
    .route({
      method: 'DELETE',
      path: '/api/profile/sessions',
      summary: 'End all of one’s own sessions but this one',
    })
    .meta({ access: 'user' })
    .output(z.object({ ended: z.number() })),
}
