import type { Clock } from '../../../platform/clock.ts'
import { type HostTurns, quietMsOf } from '../../../platform/outgoing/host-turns.ts'
import type { SafeFetch, SafeRequest, SafeResponse } from '../../../platform/outgoing/safe-fetch.ts'
import type { RunContext } from '../kinds/source-kind.ts'

/** Between two requests to one host, in milliseconds; to one of the administrators' own, less. */
const [publicPauseMs, ownPauseMs] = [1_000, 50]

/**
 * Asks an address when it is its host's turn, which lasts until the answer is read or left. A host that asks to be left alone is, by all
 * sources. Throws a FetchError, and a HostQuietError where the turn is too far away.
 */
export function askInTurn(safeFetch: SafeFetch, turns: HostTurns, clock: Clock): RunContext['ask'] {
  return async (url, request) => {
    // What is no address is told from others by whoever asks it.
    if (!URL.canParse(url)) return safeFetch(url, request)
    const release = await turns.take(new URL(url).hostname, { pauseMs: 0, signal: request.signal })
    const response = await ask(safeFetch, url, request, () => release(publicPauseMs))
    const pauseMs = response.isPublic ? publicPauseMs : ownPauseMs
    const end = () => {
      request.signal?.removeEventListener('abort', end)
      void release(Math.max(pauseMs, quietMsOf(response, clock())))
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
