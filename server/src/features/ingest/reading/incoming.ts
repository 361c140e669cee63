import type { Readable } from 'node:stream'
import { AppError } from '../../../platform/errors.ts'

/** A sender that is silent for so long has gone. */
const silenceMs = 60_000
/** In so long a time spent waiting for it, a sender has to send so many bytes; less only holds a connection. */
const defaultPace = { ms: 60_000, bytes: 16_384 }

/**
 * A request's body as it arrives. Throws INVALID_INPUT when it stops before its end, or comes too slowly. Leaving it early
 * doesn't close the connection, so that the answer still gets there.
 */
export async function* incoming(
  stream: Readable,
  silence = silenceMs,
  pace = defaultPace,
): AsyncGenerator<Uint8Array> {
  const chunks = stream.iterator({ destroyOnReturn: false })
  let [waited, received] = [0, 0]
  try {
    for (;;) {
      // Only waiting for the sender counts: while the database is slow, it may send nothing.
      const begin = performance.now()
      const { value, done } = await orSilence(chunks.next(), silence)
      if (done) return
      waited += performance.now() - begin
      received += value.length
      if (waited >= pace.ms) {
        if (received < pace.bytes)
          throw new AppError('INVALID_INPUT', 'The body comes too slowly. Nothing was imported.')
        waited = 0
        received = 0
      }
      yield value
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('INVALID_INPUT', 'The body ended before it was complete. Nothing was imported.', {
      cause,
    })
  } finally {
    // What is left unread would keep the next request of the same connection waiting for ever.
    void chunks.return?.().then(
      () => stream.resume(),
      () => {},
    )
  }
}

async function orSilence<T>(next: Promise<T>, silence: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new AppError('INVALID_INPUT', 'The body stopped coming. Nothing was imported.')),
      silence,
    )
  })
  try {
    return await Promise.race([next, silent])
  } finally {
    clearTimeout(timer)
  }
}
