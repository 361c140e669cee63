import { retryAfterMs } from '../../../platform/outgoing/retry-after.ts'
import { FetchError, type SafeRequest } from '../../../platform/outgoing/safe-fetch.ts'
import {
  bodyText,
  type JsonObject,
  jsonObject,
  saidText,
} from '../../../platform/outgoing/service-answers.ts'
import type { KindDeps, SendContext, SendOutcome, Target } from './destination-kind.ts'

/** What a service answered. */
export type Answer = {
  status: number
  headers: Headers
  /** What came of the body; '' where it broke off, or is larger than anything that services say. */
  text: string
  /** The JSON object that it is; null where it is none, such as a proxy's page. */
  json: JsonObject | null
  /** Whether anybody on the internet could have asked; otherwise nothing of it may be shown. */
  isPublic: boolean
}

/** Either an answer, or what became of sending because there is none. */
export type Asked = { answer: Answer; outcome?: undefined } | { answer?: undefined; outcome: SendOutcome }

const limits = { packedBytes: 200_000, bytes: 400_000, totalMs: 20_000 }

type Request = Omit<SafeRequest, 'limits' | 'signal' | 'publicOnly' | 'redirects'> & {
  totalMs?: number
  /** What is read of the answer. */
  bytes?: number
}

/**
 * Asks a service. Networks of FETCH_ALLOW are reached for destinations of the group only; redirects are answers. Throws only why
 * `signal` was aborted.
 */
export async function askService(
  { fetch: ask }: Pick<KindDeps, 'fetch'>,
  { isGroup }: Pick<Target<unknown>, 'isGroup'>,
  url: string,
  { totalMs = limits.totalMs, bytes = limits.bytes, ...request }: Request,
  { signal }: Pick<SendContext, 'signal'>,
): Promise<Asked> {
  try {
    const response = await ask(url, {
      ...{
        ...request,
        limits: { packedBytes: Math.min(bytes, limits.packedBytes), bytes, totalMs },
        redirects: 0,
        signal,
        publicOnly: !isGroup,
      },
    })
    const { status, headers, isPublic } = response
    // The status says what became of it, however the rest ends.
    const text = await bodyText(response.body).catch(() => '')
    // What was taken would be sent a second time, were that forgotten.
    if (status < 200 || status >= 300) signal.throwIfAborted()
    return { answer: { status, headers, text, json: jsonObject(text), isPublic } }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FetchError)) throw error
    return { outcome: outcomeOfFailure(error, isGroup) }
  }
}

const notPublicText =
  'That address is not public, so nothing is sent there. Enter one that anybody on the internet can reach.'
const notAskedText =
  'That address can’t be asked. Enter one that begins with https:// or http://, without a user in it, at port 80, 443, 8080, 8443 or above 1024.'

/** What became of a request that came to no answer: nothing was sent, or nobody knows. */
function outcomeOfFailure(error: FetchError, isGroup: boolean): SendOutcome {
  // What is wrong with the address itself no other try mends. Members can't change settings of the installation.
  if (error.failure === 'private') return { result: 'refused', text: isGroup ? error.message : notPublicText }
  if (error.failure === 'address') return { result: 'refused', text: isGroup ? error.message : notAskedText }
  return error.mayHaveArrived
    ? { result: 'unknown', text: `It may have arrived, but no answer came. ${error.message}` }
    : { result: 'failed', text: error.message }
}

/** Of an outcome: what was answered, for the log. `said` is what the service says is wrong, where that is a part of the body. */
export function answerFacts(
  { status, text, isPublic }: Answer,
  secrets: readonly string[],
  said: unknown = text,
): { status: number; answer?: string } {
  const answer = isPublic ? saidText(said, secrets) : null
  return { status, ...(answer !== null && { answer }) }
}

/** The secrets that a text may hold, also as parts of addresses write them. */
export function secretTexts(secrets: Readonly<Record<string, string>>): string[] {
  return Object.values(secrets)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .filter((secret) => secret !== '')
}

/** Whether a service has taken a message, but what it says of it broke off. Sending it again would double it. */
export function isTakenUnread({ status, text }: Answer): boolean {
  return status >= 200 && status < 300 && text === ''
}

/** The shortest pause that is taken from a service, in milliseconds. */
const shortestPauseMs = 1_000

/**
 * For how long a service wants to be left alone, in milliseconds; null where it names no time that is still to come. Asked again at once it
 * might say the same without end, as waiting costs no attempt.
 */
export function askedPause(headers: Headers, now: Date): number | null {
  const pause = retryAfterMs(headers, now) ?? 0
  return pause > 0 ? Math.max(pause, shortestPauseMs) : null
}

/** What became of a message that was not sent. */
export type NotSent = Extract<SendOutcome, { text: string }>

/** A status that no kind knows more of: too many requests, trouble of the server, an address that leads on, or a refusal. */
export function outcomeOfStatus(
  answer: Answer,
  now: Date,
  service: string,
  facts: { status: number; answer?: string },
): NotSent {
  const { status } = answer
  const wait = askedPause(answer.headers, now)
  if (status === 429 || (status === 503 && wait !== null))
    return {
      ...{ ...facts, result: 'later', afterMs: wait ?? 60_000 },
      text: `${service} asks for fewer messages (${status}).`,
    }
  if (status >= 500 || status === 408 || status === 425)
    return { ...facts, result: 'failed', text: `${service} has trouble of its own (${status}).` }
  if (status >= 300 && status < 400)
    return {
      ...{ ...facts, result: 'failed' },
      text: `The address leads on to another one (${status}). Enter the address that it leads to.`,
    }
  if (status < 300)
    return { ...facts, result: 'failed', text: `That is no answer of ${service} (${status}).` }
  return { ...facts, result: 'refused', text: `${service} refuses the message (${status}).` }
}
