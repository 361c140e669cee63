import type { Clock } from '../../../platform/clock.ts'
import { type HostTurns, quietMsOf } from '../../../platform/outgoing/host-turns.ts'
import type { SafeFetch, SafeRequest, SafeResponse } from '../../../platform/outgoing/safe-fetch.ts'
import type { RunContext } from '../kinds/source-kind.ts'

/** Between two requests to one host, in milliseconds, unless its service says another pace; to one of the administrators' own, less. */
const [publicPauseMs, ownPauseMs] = [1_000, 50]

/** So long the turn of a host is waited for that a redirect leads to, in milliseconds: the time of the request goes on meanwhile. */
const redirectPatienceMs = 15_000
type Answer = Pick<SafeResponse, 'status' | 'headers' | 'isPublic'>

/**
 * Asks an address when it is its host's turn, which lasts until the answer is read or left; each host that a redirect leads to has its own. A host that asks to be left alone is, by all
 * sources. Throws a FetchError, and a HostQuietError where the turn is too far away.
 */
export function askInTurn(safeFetch: SafeFetch, turns: HostTurns, clock: Clock): RunContext['ask'] {
  return async (url, { pauseMs: wanted = publicPauseMs, ...request }) => {
    // What is no address is told from others by whoever asks it.
    if (!URL.canParse(url)) return safeFetch(url, request)
    let host = new URL(url).hostname
    let release = await turns.take(host, { pauseMs: 0, signal: request.signal })
    const quietMs = (answer: Answer) =>
      Math.max(answer.isPublic ? wanted : ownPauseMs, quietMsOf(answer, clock()))
    const beforeRedirect = async ({ hostname }: URL, from: Answer) => {
      if (hostname === host) return
      // Whoever held two turns could wait for one who waits for them.
      await release(quietMs(from))
      const wish = { pauseMs: 0, patienceMs: redirectPatienceMs, signal: request.signal }
      release = await turns.take(hostname, wish)
      host = hostname
    }
    const response = await ask(safeFetch, url, { ...request, beforeRedirect }, () => release(wanted))
    const end = () => {
      request.signal?.removeEventListener('abort', end)
      void release(quietMs(response))
    }
    // Whoever is stopped may leave an answer as it is.
    request.signal?.addEventListener('abort', end, { once: true })
    return {
      ...response,
      body: untilRead(response.body, end),
      cancel: () => {
        response.cancel()
        end()
      },
    }
  }
}

async function ask(
  safeFetch: SafeFetch,
  url: string,
  request: SafeRequest,
  release: () => Promise<void>,
): Promise<SafeResponse> {
  try {
    return await safeFetch(url, request)
  } catch (error) {
    await release()
    throw error
  }
}

async function* untilRead(body: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } finally {
    end()
  }
}
