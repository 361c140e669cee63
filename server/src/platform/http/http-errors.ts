import type { Socket } from 'node:net'
import type { ErrorBody, ErrorCode } from '@dealdeck/contract/errors'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { LockTimeoutError } from '../database/advisory-locks.ts'
import { UnconfirmedError } from '../database/unconfirmed-commits.ts'
import { AppError, httpStatus } from '../errors.ts'
import { isAnswered, keepApart } from '../limits/connections.ts'
import { callerAddress } from './caller-address.ts'
import { describeMistakes, missing, mustBeObject } from './input-messages.ts'
import { requestIdHeader } from './request-ids.ts'
import { dataHeaders, isSecure, transportHeaders } from './security-headers.ts'

/** Makes every failure of the application leave in the one error shape; the unknown is logged and stays silent outside. */
export function answerErrors(app: FastifyInstance): void {
  describeMistakes()
  app.setErrorHandler((error: unknown, request, reply) => sendError(toAppError(error), request, reply))
}

/**
 * Answers what never passes a hook, in the one shape too: an address the router can't read, and bytes that never became a
 * request, straight on the connection. `publicUrl` is the setting.
 */
export function answerUnread(publicUrl: string) {
  return {
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      keepApart(reply)
      reply.headers(dataHeaders)
      if (isSecure(request, publicUrl)) reply.headers(transportHeaders)
      return sendError(toAppError(error), request, reply)
    },
    clientErrorHandler: (cause: Error, socket: Socket) =>
      respondToMalformedRequest(cause, socket, publicUrl.startsWith('https:') ? transportHeaders : {}),
  }
}

function respondToMalformedRequest(cause: Error, socket: Socket, more: Record<string, string>): void {
  if (!socket.writable) return
  if (isAnswered(socket)) {
    socket.destroySoon()
    return
  }
  const isSlow = 'code' in cause && cause.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const message = isSlow ? 'The request took too long to arrive.' : 'This is not a request that HTTP knows.'
  const error = new AppError('INVALID_INPUT', message)
  const body = JSON.stringify(errorBody(error))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    connection: 'close',
    ...dataHeaders,
    ...more,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}

/** Answers with an AppError's code, message and fields. */
export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply) {
  noteError(error, request, reply)
  reply.header(requestIdHeader, request.id)
  return reply.status(httpStatus(error.code)).header('cache-control', 'no-store').send(errorBody(error))
}

/** What an attack is seen by, if anybody looks: refusals that an ordinary visit doesn't meet with. */
const telling = new Set<ErrorCode>([
  'INVALID_CREDENTIALS',
  'ACCOUNT_PENDING',
  'FORBIDDEN',
  'FOREIGN_ORIGIN',
  'FOREIGN_HOST',
  'TOO_MANY_REQUESTS',
])

/**
 * What every error does beside its body: the log hears of it as an error only when it is our fault, of a telling refusal
 * in passing; the caller hears when to try again.
 */
export function noteError(error: AppError, request: FastifyRequest, reply: FastifyReply): void {
  if (telling.has(error.code)) noteEvent(request, `refused: ${error.code}`)
  if (httpStatus(error.code) >= 500) {
    const cause = error.cause ?? error
    // Where in the code somebody met with an outage says nothing about it.
    const isOutage =
      cause === error || isConnectionError(cause) || isReadOnly(cause) || cause instanceof UnconfirmedError
    const why = isOutage && cause instanceof Error ? { why: cause.message } : { err: cause }
    request.log.error({ ...why, ...whoAsked(request) }, 'request failed')
  }
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter))
}

/** Writes down what somebody did to get in, or out: when, what, where, from which address, as whom. */
export function noteEvent(request: FastifyRequest, event: string, user?: number): void {
  request.log.info({ ...whoAsked(request), ...(user !== undefined && { by: user }) }, event)
}

/** What a log line says of a request. The route, not the path: that may hold what somebody searched for. */
function whoAsked(request: FastifyRequest) {
  const { method, routeOptions } = request
  return { method, route: routeOptions.url, address: callerAddress(request), by: callerOf(request) }
}

/** Who a line of the log is about: a user's id, a token's name, or 'nobody'. */
export function callerOf({ caller }: FastifyRequest): number | string | undefined {
  if (caller?.kind === 'session') return caller.session.user.id
  return caller?.kind === 'token' ? `token ${caller.name}` : caller?.kind
}

export function errorBody(error: AppError): ErrorBody {
  return { code: error.code, message: error.message, ...(error.fields && { fields: error.fields }) }
}

const unreachable = 'The database can not be reached. Please try again in a moment.'
const onlyReadable =
  'The database can only be read at the moment, so nothing can be changed. Please try again in a moment.'

/** What any thrown thing means to the caller. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof z.ZodError) return invalidInput(error.issues)
  // Nobody reads this: its reader has gone.
  if (isGivenUp(error))
    return new AppError('INVALID_INPUT', 'The request was given up before it was answered.', { cause: error })
  if (isBusy(error)) {
    const message = 'There is too much to do just now. Please try again in a moment.'
    return new AppError('BUSY', message, { cause: error, retryAfter: 2 })
  }
  if (error instanceof LockTimeoutError) {
    const message = 'Other changes are under way and take long. Please try again in a moment.'
    return new AppError('BUSY', message, { cause: error, retryAfter: 5 })
  }
  // An error with a status is about the client's own connection, which may break off too.
  if (fastifyStatus(error) === undefined && isDatabaseGone(error)) {
    return new AppError('DATABASE_UNAVAILABLE', unreachable, { cause: error })
  }
  if (isReadOnly(error)) return new AppError('DATABASE_UNAVAILABLE', onlyReadable, { cause: error })
  if (error instanceof UnconfirmedError) {
    return new AppError(
      'DATABASE_UNAVAILABLE',
      'The change was made, but no standby of the database has confirmed it in time, so it may still be lost. Please look whether it is there before you try again.',
      { cause: error },
    )
  }
  if (isOutOfRoom(error)) {
    return new AppError(
      'DATABASE_UNAVAILABLE',
      'The database has no room left on its disk. Please tell whoever runs this installation.',
      { cause: error },
    )
  }
  // Class 22: a value the database can't represent, such as a NUL in a text.
  if (error instanceof Error && 'code' in error && /^22/.test(String(error.code)) && 'severity' in error) {
    return new AppError('INVALID_INPUT', 'The request holds a value that can not be used.', { cause: error })
  }
  if (error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return new AppError('INVALID_INPUT', 'The body is not valid JSON.', { cause: error })
  const status = fastifyStatus(error)
  const code = status === undefined ? undefined : codeOfStatus(status)
  if (code) return new AppError(code, clientMessages[code] ?? 'The request could not be understood.')
  return new AppError('INTERNAL', 'Something went wrong. Please try again.', { cause: error })
}

/** Members of a body that nobody knows, each named in the answer; more of them say no more. */
const mostUnknown = 10
/** The same of what is wrong with it: of a long list of nothing but mistakes the answer would be far longer. */
const mostIssues = 50

/** What an issue of a schema says, as the contract's library gives it; `keys`: members that are not among the schema's. */
type Issue = { message: string; path?: ReadonlyArray<unknown> | undefined; keys?: readonly string[] }

/** The validation error of a list of issues; its message is the first issue's. */
export function invalidInput(issues: readonly Issue[]): AppError {
  // Not an object yet: it would have members such as `constructor` already, and whoever sends one is told of nothing.
  const found = new Map<string, string>()
  for (const { path = [], message } of issues.slice(0, mostIssues).flatMap(namedUnknown)) {
    const isWhole = path.length === 0 && (message === mustBeObject || message === missing)
    const field = path.map(pathPart).join('.') || 'input'
    if (!found.has(field)) found.set(field, isWhole ? 'Send a JSON object as the body' : message)
  }
  const [field, message] = [...found][0] ?? ['input', 'is not valid']
  // Messages that are sentences stand for themselves; fragments ('must be …') need their field's name.
  const text = /^[A-Z]/.test(message) ? message : `${field} ${message}`
  return new AppError('INVALID_INPUT', text, { fields: Object.fromEntries(found) })
}

/** An issue about members that nobody knows as one of each of them. */
function namedUnknown(issue: Issue): Issue[] {
  const { keys, path = [] } = issue
  if (!keys) return [issue]
  return keys
    .slice(0, mostUnknown)
    .map((key) => ({ path: [...path, key.slice(0, 100)], message: 'is not known here' }))
}

function pathPart(part: unknown): string {
  return typeof part === 'object' && part !== null && 'key' in part ? String(part.key) : String(part)
}

function codeOfStatus(status: number): ErrorCode | undefined {
  // Whatever else a plugin refuses (a range, a precondition) is still the request's fault.
  return codeByStatus[status] ?? (status >= 400 && status < 500 ? 'INVALID_INPUT' : undefined)
}

const codeByStatus: Record<number, ErrorCode> = {
  400: 'INVALID_INPUT',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'INVALID_INPUT',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  431: 'INVALID_INPUT',
  503: 'DATABASE_UNAVAILABLE',
}

const clientMessages: Partial<Record<ErrorCode, string>> = {
  INVALID_INPUT: 'The request could not be understood. Please check its body and address.',
  FORBIDDEN: 'This address can not be opened.',
  NOT_FOUND: 'There is nothing at this address.',
  PAYLOAD_TOO_LARGE: 'The request is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as application/json.',
  TOO_MANY_REQUESTS: 'Too many requests. Please wait a moment.',
}

function fastifyStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  // Fastify and its plugins mark their own errors with a status; anything else is unknown.
  const { statusCode } = error as Partial<FastifyError>
  return statusCode
}

/** Whether the caller has gone: we ended the work, or Node.js ended the request while its body was being read. */
export function isGivenUp(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isBrokenOff = error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
  return isBrokenOff || error.name === 'AbortError'
}

/** Whether the database can't be reached, or lacks the tables it is asked for. */
export function isDatabaseGone(error: unknown): boolean {
  return isConnectionError(error) || (error instanceof Error && 'code' in error && error.code === '42P01')
}

/** Whether the database, and not the request, is the trouble. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  // Whatever it is that keeps us from it: no such socket where the server is stopped, no network, no answer of a name server.
  // Not that this process has too many files open, which is its own fault.
  const isOurs = /^E[MN]FILE$/.test(code)
  if ('syscall' in error && /^(connect|getaddrinfo)$/.test(String(error.syscall))) return !isOurs
  // Class 08: connection exceptions; 57P: shutdown and start-up; 53300: too many connections; 25P03: cut off after it stood
  // still in a transaction, which none of ours does unless this process was stopped.
  if (/^(08|57P|53300|25P03)/.test(code)) return true
  if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return true
  return /Connection terminated|Client has encountered a connection error/.test(error.message)
}

/** Whether a change was refused because the database takes none: it is a standby, or was set so. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006'
}

/** Whether the database refuses a connection because others have taken all it gives. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '53300'
}

/**
 * Whether the database is there but all connections to it are taken, or it ended a statement that took too long. A
 * database that is away never lets anybody wait that long: its sockets are cut.
 */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // On a standby a statement is ended as well where it stands in the way of what comes from the primary (40001).
  const isCancelled = 'code' in error && /^(57014|40001)$/.test(String(error.code))
  return isCancelled || isFull(error) || error.message === 'timeout exceeded when trying to connect'
}

/** Whether the database's disk is full (PostgreSQL's code for it); what needs no room still works. */
function isOutOfRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '53100'
}
