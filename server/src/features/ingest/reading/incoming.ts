import type { Readable } from 'node:stream'
import { AppError } from '../../../platform/errors.ts'

/** A sender that is silent for so long has gone. */
const silenceMs = 60_000

/**
 * A request's body as it arrives. Throws INVALID_INPUT when it stops before its end. Leaving it early doesn't close the
 * connection, so that the answer still gets there.
 */
export async function* incoming(stream: Readable, silence = silenceMs): AsyncGenerator<Uint8Array> {
  const chunks = stream.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const { value, done } = await orSilence(chunks.next(), silence)
      if (done) return
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
