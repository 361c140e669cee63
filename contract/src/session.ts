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

/** Nobody sees them, or sees a blank: two names that differ by them alone would look the same. */
const allVisible =
  /^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{1680}\u{2800}\u{16fe4}\u{1d159}]*$/u
const longestName = 64
/** How lists of imports name what is no person: a member of that name would pass for it. */
const isPerson = /^(?!(?:source|token) )/

/** A name to be, as it is stored: in the one form (NFKC) of those that look and mean the same, trimmed, in lower case. */
export const usernameSchema = z
  .string({ error: requiredMessage })
  .normalize('NFKC')
  .trim()
  .toLowerCase()
  .normalize('NFKC')
  .min(1, requiredMessage)
  .max(longestName, `Username must be at most ${longestName} characters long`)
  .regex(allVisible, 'Username must not contain invisible characters')
  .regex(isPerson, 'Username must not begin with “source ” or “token ”, as imports by those do')

/** A name to sign in with, trimmed and in lower case. It may have been given away when more was allowed. */
export const givenUsernameSchema = z
  .string({ error: requiredMessage })
  .trim()
  .toLowerCase()
  .min(1, requiredMessage)
  .max(4 * longestName, `Username must be at most ${longestName} characters long`)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'Username must not contain invisible characters')
const givenPassword = (missing: string) =>
  z.string({ error: missing }).trim().min(1, missing).max(200, 'Password must be at most 200 characters long')

/** A password to be, trimmed, and what is said where there is none. An old one that is only compared may be shorter. */
export const passwordToBe = (missing: string) =>
  givenPassword(missing).min(
    minimumPasswordLength,
    `Password must be at least ${minimumPasswordLength} characters long`,
  )
export const passwordSchema = passwordToBe(requiredMessage)

const signInInputSchema = z.strictObject({
  username: givenUsernameSchema,
  password: givenPassword(requiredMessage),
})
export const signUpInputSchema = z.strictObject({ username: usernameSchema, password: passwordSchema })

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
