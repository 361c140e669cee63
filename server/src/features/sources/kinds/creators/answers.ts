import { timeInText } from '../../../../platform/clock.ts'
import { retryAfter } from '../../../../platform/outgoing/retry-after.ts'
import { isObject, type JsonObject, listOf, saidText } from '../../../../platform/outgoing/service-answers.ts'
import type { RunOutcome } from '../source-kind.ts'

export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null

/** Ends a run, with what is to be said of it. */
export class Problem extends Error {
  readonly outcome: RunOutcome

  constructor(outcome: RunOutcome) {
    super(outcome.text)
    this.name = 'Problem'
    this.outcome = outcome
  }
}
export const permanent = (text: string) => new Problem({ state: 'failed', isPermanent: true, text })

const dayMs = 24 * 3_600_000
const throttledMs = 60_000

/** Why an answer is none, as what the run ends with; null: there are no such items, which is an answer. */
export function problemOf(
  { status, headers }: { status: number; headers: Headers },
  document: JsonObject | null,
  now: Date,
  secrets: readonly string[],
): Problem | null {
  const first = listOf(document?.errors).find(isObject)
  const reason = textOf(document?.reason) ?? textOf(first?.reason) ?? textOf(first?.code)
  const message = saidText(document?.message ?? first?.message, secrets)
  const because = message ? `: ${message}.` : '.'
  const later = (ms: number) => new Date(now.getTime() + ms)
  switch (status) {
    case 400:
      return permanent(`The interface doesn’t accept the question${fieldsOf(document)}${because}`)
    case 401:
      return permanent(`The interface doesn’t accept the credential${because} Enter it anew.`)
    case 403:
      if (reason !== 'AssociateNotEligible') return permanent(`The interface refuses this account${because}`)
      return new Problem({
        ...{ state: 'not_eligible', notBefore: later(dayMs) },
        text: 'This account has no access to the interface: it takes 10 qualified sales within 30 days. It is asked again once a day.',
      })
    case 404:
      return null
    case 429: {
      const until = retryAfter(headers, now) ?? later(throttledMs)
      return new Problem({
        ...{ state: 'waiting', notBefore: until },
        text: `Waits until ${timeInText(until)}, since the interface was asked more often than it allows.`,
      })
    }
    default:
      return new Problem({ state: 'failed', text: `The interface answered with status ${status}${because}` })
  }
}

/** Whether a token has to be renewed. */
export function isTokenExpired(status: number, document: JsonObject | null): boolean {
  const first = listOf(document?.errors).find(isObject)
  return status === 401 && (document?.reason ?? first?.reason) === 'TokenExpired'
}

/** The fields that the interface complains about, such as ` (minPrice)`. */
function fieldsOf(document: JsonObject | null): string {
  const names = listOf(document?.fieldList).flatMap(
    (field) => textOf(isObject(field) ? field.name : field) ?? [],
  )
  const known = names.filter((name) => /^[\w.[\]-]{1,60}$/.test(name)).slice(0, 5)
  return known.length === 0 ? '' : ` (${known.join(', ')})`
}
