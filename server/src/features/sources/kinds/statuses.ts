import { retryAfter } from '../../../platform/outgoing/retry-after.ts'
import type { RunOutcome } from './source-kind.ts'

type About = {
  headers: Headers
  now: Date
  /** Whether a secret was sent along. */
  hasSecret: boolean
  /** What to do, where the answer is a page that checks whether a person is asking. */
  isChallenge: string | null
}

/** How a run has ended whose answer has such a status; null where it has a document. */
export function outcomeOfStatus(status: number, about: About): RunOutcome | null {
  if (status === 200) return null
  if (status === 304) return { state: 'unchanged' }
  const until = retryAfter(about.headers, about.now)
  const notBefore = until && (status === 429 || status === 503) ? { notBefore: until } : {}
  if (status === 429)
    return {
      ...{ state: 'waiting', ...notBefore },
      text: 'The address asks for fewer requests (429). It is asked again later; a longer interval helps.',
    }
  return {
    ...{ state: 'failed', ...notBefore },
    text: `${about.isChallenge ?? wordsOf(status, about.hasSecret)} Earlier deals stay.`,
    ...((status === 401 || status === 410) && { isPermanent: true }),
  }
}

function wordsOf(status: number, hasSecret: boolean): string {
  if (status === 401)
    return hasSecret
      ? 'The address does not accept the secret (401). Enter it anew.'
      : 'The address wants to know who is asking (401). Enter the header and the secret that its owner gave you.'
  if (status === 403)
    return hasSecret
      ? 'The address refuses this installation (403). Check the secret, and whether its owner lets programs read it.'
      : 'The address refuses this installation (403). It may need a secret, or let no programs read it.'
  if (status === 404) return 'There is nothing at this address (404). Check how it is written.'
  if (status === 410)
    return 'The document is gone for good (410). Enter another address, or remove the source.'
  if (status >= 500) return `The server of the address has trouble of its own (${status}).`
  if (status >= 400) return `The address refuses the request (${status}). Check how it is written.`
  if (status >= 300) return `The address leads on to nowhere (${status}). Enter the address that it leads to.`
  return `The address answers without a document (${status}).`
}
