import { bodyText, isObject, jsonObject, saidText } from '../../../../platform/outgoing/service-answers.ts'
import type { RunContext, RunOutcome } from '../source-kind.ts'
import type { KeepaObject } from './deals.ts'

/** What every answer of Keepa says of the tokens of its key. */
export type TokenCount = {
  left: number
  refillPerMinute: number
  refillInMs: number
  consumed: number
  penalty: number
}

/** `document` is there where all went well, `problem` where not. */
export type Answer =
  | { document: KeepaObject; tokens: TokenCount | null; problem?: undefined }
  | { document?: undefined; tokens: TokenCount | null; problem: RunOutcome }

const limits = { packedBytes: 10_000_000, bytes: 60_000_000, totalMs: 60_000 }

/** Asks Keepa. `question` is sent as JSON; the address may hold the key, which no text of the answer does. Throws a FetchError. */
export async function askKeepa(
  context: RunContext,
  url: string,
  key: string,
  question?: object,
): Promise<Answer> {
  const headers = { accept: 'application/json' }
  const response = await context.ask(url, {
    ...(question
      ? {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(question),
        }
      : { headers }),
    ...{ limits, redirects: 0, signal: context.signal },
  })
  const document = parseKeepa(await bodyText(response.body))
  const tokens = document && tokensOf(document)
  const problem = problemOf(response.status, document, key)
  if (problem) return { tokens, problem }
  // Whatever isn't JSON is a problem of any status.
  return { document: document ?? {}, tokens }
}

/** A JSON object, in which numbers that JavaScript would round stand as texts; null for anything else, such as a proxy's page. */
export function parseKeepa(text: string): KeepaObject | null {
  // Texts are passed over, so that what looks like a number in a title stays as it is.
  const whole = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs, (token) =>
    /^-?\d{16,}$/.test(token) ? `"${token}"` : token,
  )
  return jsonObject(whole)
}

function tokensOf(document: KeepaObject): TokenCount | null {
  const number = (name: string) => {
    const value = document[name]
    return typeof value === 'number' && Number.isFinite(value) ? value : null
  }
  const [left, refillPerMinute] = [number('tokensLeft'), number('refillRate')]
  if (left === null || refillPerMinute === null) return null
  const refillInMs = Math.max(0, number('refillIn') ?? 60_000)
  const [consumed, penalty] = [number('tokensConsumed') ?? 0, number('tokenFlowReduction') ?? 0]
  return { left, refillPerMinute, refillInMs, consumed, penalty }
}

function problemOf(status: number, document: KeepaObject | null, key: string): RunOutcome | null {
  const said = document && errorOf(document, key)
  const because = said ? `: ${said}` : '.'
  const permanent = (text: string): RunOutcome => ({ state: 'failed', isPermanent: true, text })
  switch (status) {
    case 200:
      if (!document) return { state: 'failed', text: 'Keepa’s answer was no JSON.' }
      return said ? { state: 'failed', text: `Keepa answered with an error: ${said}` } : null
    case 400:
    case 405:
      return permanent(`Keepa doesn’t accept the question${because} Change the settings.`)
    case 401:
    case 403:
      return permanent('Keepa doesn’t know this API key. Enter the one that keepa.com shows under API.')
    case 402:
      return permanent(
        'The key has no subscription to Keepa’s interface, or it has ended: renew it at keepa.com.',
      )
    case 429:
      return { state: 'waiting' }
    default:
      return { state: 'failed', text: `Keepa answered with status ${status}${because}` }
  }
}

/** What Keepa says is wrong. */
function errorOf({ error }: KeepaObject, key: string): string | null {
  if (!isObject(error)) return null
  const { message, details, type } = error
  const said = saidText(message, [key]) ?? saidText(details, [key]) ?? saidText(type, [key])
  return said === null ? null : `${said}.`
}
