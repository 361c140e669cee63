import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError } from '../../../platform/errors.ts'
import { TimeSlice } from '../../../platform/time-slice.ts'
import { Decoder, type OnEncoding } from './encodings.ts'

export type Bytes = AsyncIterable<Uint8Array>

/** What a packed body may hold: far more than any real one, but not what a few packed zeros can grow to. */
const unpackedLimit = 8 * 1024 ** 3

/** So many bytes may come out of a body however small it is, so that a small list of much the same is no bomb. */
const freelyUnpacked = 16 * 1024 ** 2

/** What may be packed into a body, in bytes: in all, and for each byte that was sent. */
type Packing = { limit?: number; ratio?: number }

/** Pieces of at most this many characters leave here, so that one turn of the event loop never gets long. */
const pieceBytes = 64 * 1024

/**
 * The text of a body: unpacked when it is gzip (also twice: a .gz file sent with Content-Encoding), in UTF-8,
 * UTF-16, or else what is stated as its `encoding` or `Decoder` takes it for, which `onEncoding` hears. Throws INVALID_INPUT when it is broken or no text at all,
 * PAYLOAD_TOO_LARGE when too much is packed into it. Others have their turn of the event loop between its pieces;
 * throws the signal's reason once that is aborted.
 */
export async function* textOf(
  source: Bytes,
  {
    signal,
    onEncoding = () => {},
    encoding = '',
    ...packing
  }: Packing & { signal?: AbortSignal | undefined; onEncoding?: OnEncoding; encoding?: string } = {},
): AsyncGenerator<string> {
  const sent = new Counted(source)
  const unpacking = new Unpacking(sent, packing)
  const { head, rest } = await peek(await unpacking.unpack(await unpacking.unpack(sent)), 4)
  refuseBinary(head)
  const decode = new Decoder(head, onEncoding, encoding)
  const slice = new TimeSlice()
  for await (const chunk of rest) {
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      const text = decode.push(chunk.subarray(from, from + pieceBytes))
      if (text !== '') yield text
      await slice.pause(signal)
    }
  }
  const tail = decode.end()
  if (tail !== '') yield tail
}

/** Bytes on their way, and how many there were so far. */
class Counted {
  readonly #source: Bytes
  count = 0

  constructor(source: Bytes) {
    this.#source = source
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#source) {
      this.count += chunk.length
      yield chunk
    }
  }
}

/** Takes the packings off a body. What comes out of each is held against what was sent, not against the packing around it. */
class Unpacking {
  readonly #sent: Counted
  readonly #limit: number
  readonly #ratio: number

  constructor(sent: Counted, { limit = unpackedLimit, ratio = Number.POSITIVE_INFINITY }: Packing) {
    this.#sent = sent
    this.#limit = limit
    this.#ratio = ratio
  }

  /** The body itself, or what a gzip body holds. */
  async unpack(source: Bytes): Promise<Bytes> {
    const { head, rest } = await peek(source, 2)
    if (head[0] !== 0x1f || head[1] !== 0x8b) return rest
    return this.#gunzipped(rest)
  }

  async *#gunzipped(source: Bytes): AsyncGenerator<Uint8Array> {
    const input = Readable.from(source)
    const gunzip = createGunzip({ chunkSize: pieceBytes })
    input.on('error', (error) => gunzip.destroy(error))
    input.pipe(gunzip)
    try {
      let unpacked = 0
      for await (const chunk of gunzip) {
        unpacked += chunk.length
        this.#refuseBomb(unpacked)
        yield chunk
      }
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_'))) throw cause
      throw new AppError('INVALID_INPUT', 'The gzip data is damaged or broken off. Nothing was imported.', {
        cause,
      })
    } finally {
      input.destroy()
      gunzip.destroy()
    }
  }

  #refuseBomb(unpacked: number): void {
    if (unpacked <= this.#limit && unpacked <= freelyUnpacked + this.#sent.count * this.#ratio) return
    const message =
      unpacked > this.#limit
        ? 'Too much is packed into this body. Nothing was imported.'
        : `More than ${this.#ratio} times its size is packed into this body. Nothing was imported; send it unpacked.`
    throw new AppError('PAYLOAD_TOO_LARGE', message)
  }
}

/** The first bytes (fewer when the body is shorter) and the whole body, them included. */
async function peek(source: Bytes, length: number): Promise<{ head: Uint8Array; rest: Bytes }> {
  const iterator = source[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (head.length < length) {
    const next = await iterator.next()
    if (next.done) break
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value])
  }
  return { head, rest: continued(head, iterator) }
}

async function* continued(head: Uint8Array, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head
    for (;;) {
      const next = await iterator.next()
      if (next.done) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}

const binaries: ReadonlyArray<[prefix: string, what: string]> = [
  ['PK\x03\x04', 'a ZIP or Excel file; save the sheet as CSV first'],
  ['\xd0\xcf\x11\xe0', 'an old Excel file; save the sheet as CSV first'],
  ['%PDF', 'a PDF file'],
  ['\x89PNG', 'a picture'],
  ['\xff\xd8\xff', 'a picture'],
  ['\x28\xb5\x2f\xfd', 'packed with Zstandard; unpack it or use gzip'],
  ['BZh', 'packed with bzip2; unpack it or use gzip'],
  ['\xfd7zX', 'packed with xz; unpack it or use gzip'],
]

function refuseBinary(head: Uint8Array): void {
  const start = Buffer.from(head).toString('latin1')
  const found = binaries.find(([prefix]) => start.startsWith(prefix))
  if (found)
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `This is ${found[1]}. Accepted are JSON, NDJSON and CSV, also packed with gzip.`,
    )
}
