import { z } from 'zod'

/**
 * The closed list of error codes and the HTTP status each one travels with.
 * A new kind of failure gets its line here first; its meaning below does not compile without it.
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

/** What each code says to whoever calls: what happened, and what to do about it. */
export const errorMeaning: Record<ErrorCode, string> = {
  INVALID_INPUT: 'Something given does not fit; the fields of the error say what and why.',
  INVALID_CREDENTIALS: 'Name and password do not belong together.',
  ACCOUNT_PENDING: 'An administrator has not approved the account yet.',
  UNAUTHENTICATED: 'No session or token was sent, or it is over: sign in.',
  FORBIDDEN: 'The account or token may not do this.',
  FOREIGN_ORIGIN: 'A browser sent it from the page of another site.',
  SIGNUP_CLOSED: 'This installation takes no new accounts.',
  NOT_FOUND: 'There is nothing at the address, or it is not visible.',
  USERNAME_TAKEN: 'The name, or one that looks like it, belongs to somebody.',
  CONFLICT:
    'It goes against what is there: changed meanwhile, there already, or no room. The message says which.',
  PAYLOAD_TOO_LARGE: 'More was sent than is taken at once: send it in parts.',
  UNSUPPORTED_MEDIA_TYPE: 'The content type is not one that this address takes.',
  FOREIGN_HOST: 'The host named in the request is not this installation.',
  UNPROCESSABLE: 'It was read and makes no sense as a whole; the message says why.',
  TOO_MANY_REQUESTS: 'Too many at once, or in a time: try again after the seconds of Retry-After.',
  INTERNAL: 'A fault of the server; its log has the request by the id of the answer.',
  BUSY: 'The server has too much to do: try again after the seconds of Retry-After.',
  DATABASE_UNAVAILABLE:
    'The database is away or takes no changes. Nothing was changed unless the message says so; of an import a part may be stored, and the same again completes it.',
}

/** The one shape every error answer has; `fields` names what was wrong with the input, field by field. */
export const errorBodySchema = z.object({
  code: z.string(),
  message: z.string(),
  fields: z.record(z.string(), z.string()).optional(),
})
export type ErrorBody = z.infer<typeof errorBodySchema>
