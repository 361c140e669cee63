import { type ErrorCode, errorStatus } from '@dealdeck/contract/errors'

/**
 * The only error a feature throws on purpose. It knows no transport: `httpStatus` maps its code.
 * `message` is shown to the user as it is; `cause` goes to the log and nowhere else.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  /** What was wrong, field by field. */
  readonly fields: Record<string, string> | undefined
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { fields?: Record<string, string>; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.fields = options.fields
    this.retryAfter = options.retryAfter
  }
}

/** The HTTP status of an error code. */
export function httpStatus(code: ErrorCode): number {
  return errorStatus[code]
}

/** What was thrown as an error: libraries also hand on plain objects that say what one says. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : Object.assign(new Error(String(Object(thrown).message)), thrown)
}
