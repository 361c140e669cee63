import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import type { Patience } from './patience.ts'
import { FetchError, type FetchLimits } from './safe-fetch.ts'

/** What we say to be able to unpack. Not zstd: its window may take 128 MB of memory. */
export const acceptedPackings = 'gzip, deflate, br'

/**
 * Whoever sends keeps a pace, or a few of them would hold all who ask: so long nothing need come, in milliseconds, and then so many bytes a
 * millisecond on average.
 */
const [graceMs, leastPace] = [30_000, 2]

type Packed = {
  body: AsyncIterable<Uint8Array>
  headers: Headers
  limits: FetchLimits
  patience: Patience
  /** Ends the connection; called when the reading ends, however it does. */
  cancel(): void
}

/**
 * The body of an answer, unpacked, in pieces of 64 KB at most. Each byte is counted as it comes, packed and unpacked, and nothing is
 * read beyond a limit. Throws a FetchError.
 */
export async function* boundedBody(packed: Packed): AsyncGenerator<Uint8Array> {
  const { limits, headers, cancel } = packed
  const pieces = receivedPieces(packed)
  try {
    if (Number(headers.get('content-length') ?? 0) > limits.packedBytes) throw tooLarge(limits.packedBytes)
    const start = await pieces.next()
    // An answer without a body may still name a packing.
    if (start.done) return
    const unpacker = unpackerFor(headers.get('content-encoding') ?? '', start.value)
    const whole = joined(start.value, pieces)
    let bytes = 0
    for await (const piece of unpacker ? unpackedPieces(whole, unpacker) : whole) {
      bytes += piece.byteLength
      if (bytes > limits.bytes) throw tooLarge(limits.bytes)
      yield piece
    }
  } finally {
    // First, since a piece that is waited for would keep the rest from ending.
    cancel()
    await pieces.return(undefined).catch(() => {})
  }
}

async function* receivedPieces({ body, limits, patience }: Packed): AsyncGenerator<Uint8Array> {
  const reading = body[Symbol.asyncIterator]()
  let bytes = 0
  for (;;) {
    const next = await patience.wait(() => reading.next(), graceMs + bytes / leastPace - patience.waitedMs)
    if (next.done) return
    bytes += next.value.byteLength
    if (bytes > limits.packedBytes) throw tooLarge(limits.packedBytes)
    yield next.value
  }
}

async function* joined(start: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start
  yield* rest
}

function unpackerFor(packing: string, start: Uint8Array): Transform | null {
  switch (packing.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'deflate':
      // Some send it with the header that the standard asks for (method 8), some without.
      return ((start[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      throw new FetchError('packing', 'The answer is packed in a way that was not asked for.')
  }
}

async function* unpackedPieces(
  packed: AsyncIterable<Uint8Array>,
  unpacker: Transform,
): AsyncGenerator<Uint8Array> {
  // Each end that fails ends the other; what went wrong is told to whoever reads.
  pipeline(Readable.from(packed, { objectMode: false }), unpacker, () => {})
  try {
    yield* unpacker
  } catch (error) {
    if (error instanceof FetchError || !isAboutPacking(error)) throw error
    throw new FetchError('packing', 'The answer is damaged: it can’t be unpacked.')
  }
}

function isAboutPacking(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_BROTLI|ERR__ERROR)/.test(String(error.code))
}

function tooLarge(bytes: number): FetchError {
  return new FetchError(
    'size',
    `The answer is larger than the ${bytes.toLocaleString('en')} bytes that are read.`,
  )
}
