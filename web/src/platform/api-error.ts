import { ORPCError } from '@orpc/client'

/** What the server refused, in its own words. `message` is meant to be shown. */
export class ApiError extends ORPCError<string, { fields: Record<string, string> }> {
  /** What was wrong, field by field; empty unless the input was refused. */
  get fields(): Record<string, string> {
    return this.data.fields
  }
}

/** An `ApiError` from an answer's status and parsed body, whatever shape the body has. */
export function toApiError(status: number, body: unknown): ApiError {
  const code = textField(body, 'code') ?? 'INTERNAL'
  const message = textField(body, 'message') ?? `The server answered with status ${status}.`
  return new ApiError(code, { status, message, data: { fields: fieldMessages(body) } })
}

/** The text to show for anything that was thrown by a call. */
export function errorMessage(error: unknown): string {
  return error instanceof ApiError ? error.message : 'Please check your connection and try again.'
}

function property(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined
}

function textField(body: unknown, name: string): string | undefined {
  const value = property(body, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function fieldMessages(body: unknown): Record<string, string> {
  const fields = property(body, 'fields')
  if (typeof fields !== 'object' || fields === null) return {}
  return Object.fromEntries(Object.entries(fields).map(([name, message]) => [name, String(message)]))
}
