import { z } from 'zod'

/**
 * The closed list of error codes and the HTTP status each one travels with.
 * A new kind of failure gets its line here first; the server's mapping and the
 * web's messages both fail to compile until they know it.
 */
export const errorStatus = {
  INVALID_INPUT: 400,
  INVALID_CREDENTIALS: 401,
  ACCOUNT_PENDING: 401,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  FOREIGN_ORIGIN: 403,
  SIGNUP_CLOSED: 403,
  NOT_FOUND: 404,
  USERNAME_TAKEN: 409,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  FOREIGN_HOST: 421,
  UNPROCESSABLE: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL: 500,
  BUSY: 503,
  DATABASE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** The one shape every error answer has; `fields` names what was wrong with the input, field by field. */
export const errorBodySchema = z.object({
  code: z.string(),
  message: z.string(),
  fields: z.record(z.string(), z.string()).optional(),
})
export type ErrorBody = z.infer<typeof errorBodySchema>
