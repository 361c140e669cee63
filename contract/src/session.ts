import { z } from 'zod'
import { route } from './access.ts'

export const roleSchema = z.enum(['admin', 'user'])
export type Role = z.infer<typeof roleSchema>
export const userStatusSchema = z.enum(['approved', 'pending', 'rejected'])
export type UserStatus = z.infer<typeof userStatusSchema>

/** Who is signed in. The browser keeps the same four fields as a hint for its first paint. */
export const sessionSchema = z.object({
  id: z.number(),
  username: z.string(),
  role: roleSchema,
  status: userStatusSchema,
  /** The database is away and this is a built-in account; the session ends when the database is back, or after an hour. */
  is_fallback: z.literal(true).optional(),
})
export type Session = z.infer<typeof sessionSchema>

export const minimumPasswordLength = 6
const requiredMessage = 'Username and password are required'

/** A name as it is stored and compared: trimmed and in lower case. */
export const usernameSchema = z
  .string({ error: requiredMessage })
  .trim()
  .toLowerCase()
  .min(1, requiredMessage)
  .max(64, 'Username must be at most 64 characters long')
  // Control and invisible characters would let two accounts look alike.
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'Username must not contain invisible characters')
const password = z
  .string({ error: requiredMessage })
  .trim()
  .min(1, requiredMessage)
  .max(200, 'Password must be at most 200 characters long')

/** A password to be, trimmed. An old one that is only compared may be shorter. */
export const passwordSchema = password.min(
  minimumPasswordLength,
  `Password must be at least ${minimumPasswordLength} characters long`,
)

export const signInInputSchema = z.object({ username: usernameSchema, password })
export const signUpInputSchema = z.object({ username: usernameSchema, password: passwordSchema })

export const sessionRoutes = {
  signIn: route
    .route({ method: 'POST', path: '/api/session', summary: 'Sign in' })
    .meta({ access: 'open' })
    .input(signInInputSchema)
    .output(sessionSchema),
  current: route
    .route({ method: 'GET', path: '/api/session', summary: 'Who is signed in' })
    .meta({ access: 'user' })
    .output(sessionSchema),
  signOut: route
    .route({ method: 'DELETE', path: '/api/session', summary: 'Sign out', successStatus: 204 })
    .meta({ access: 'user' }),
  signUp: route
    .route({ method: 'POST', path: '/api/signup', summary: 'Create an account', successStatus: 201 })
    .meta({ access: 'open' })
    .input(signUpInputSchema)
    .output(sessionSchema),
}
