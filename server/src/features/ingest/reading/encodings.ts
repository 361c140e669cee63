import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { analyse } from 'chardet'

/** Hears of an encoding other than UTF-8, UTF-16 and Windows-1252, by its name. */
export type OnEncoding = (name: string) => void

/** Bytes on which an encoding is decided, from the first that isn't ASCII. */
const looked = 16 * 1024
const western = 'windows-1252'
const fewestHigh = 6
/** By how much another encoding must be likelier than the western one, which most files without a word of it have. */
const muchLikelier = 1.6

/** Encodings whose letters stand alone among ASCII, as the western ones do; of the others, letters come in runs. */
const amongAscii = new Map([
  ['windows-1250', 'windows-1250'],
  ['ISO-8859-2', 'windows-1250'],
  ['windows-1254', 'windows-1254'],
  ['ISO-8859-9', 'windows-1254'],
])
/** Letters of ISO-8859-2 that are signs in Windows-1250. */
const ofIsoOnly = new Set([0xa1, 0xa6, 0xac, 0xb1, 0xb6, 0xbc])

/** The encoding, as TextDecoder knows it, of bytes that are no UTF-8. */
function encodingOf(bytes: Uint8Array): string {
  const isHigh = (byte: number | undefined) => byte !== undefined && byte >= 0x80
  let high = 0
  let inRuns = 0
  for (const [at, byte] of bytes.entries()) {
    if (!isHigh(byte)) continue
    high += 1
    if (isHigh(bytes[at - 1]) || isHigh(bytes[at + 1])) inRuns += 1
  }
  if (high < fewestHigh) return western
  const matches = analyse(bytes)
  const likelihood = (...names: string[]) =>
    Math.max(0, ...matches.flatMap(({ name, confidence }) => (names.includes(name) ? confidence : [])))
  const [best] = matches
  if (!best || best.confidence < muchLikelier * likelihood(western, 'ISO-8859-1')) return western
  const isIso = best.name === 'ISO-8859-2' && bytes.some((byte) => ofIsoOnly.has(byte))
  const name = isIso
    ? 'ISO-8859-2'
    : (amongAscii.get(best.name) ?? (inRuns < high * 0.6 ? western : best.name))
  return isKnown(name) ? name : western
}

function isKnown(name: string): boolean {
  try {
    return new TextDecoder(name) !== undefined
  } catch {
    return false
  }
}

/**
 * Decodes the bytes of a text. The encoding is detected by a byte order mark or, in UTF-16, by the zeros of its first characters;
 * else it is decided from the first byte on that isn't ASCII, on which until then all agree.
 */
export class Decoder {
  readonly #onEncoding: OnEncoding
  #decoder: TextDecoder | undefined
  #held: Uint8Array = new Uint8Array()
  /** Bytes that are no UTF-8, until there are enough to tell by. */
  #sample: { bytes: Buffer; length: number } | undefined

  /** `head`: the first four bytes or more, fewer when there are no more. */
  constructor(head: Uint8Array, onEncoding: OnEncoding) {
    this.#onEncoding = onEncoding
    const [first = 0, second = 0, third = 0, fourth = 0] = head
    if (first === 0xff && second === 0xfe) this.#decoder = new TextDecoder('utf-16le')
    else if (first === 0xfe && second === 0xff) this.#decoder = new TextDecoder('utf-16be')
    else if (first === 0xef && second === 0xbb) this.#decoder = new TextDecoder('utf-8')
    else if (first && third && !second && !fourth && head.length >= 4)
      this.#decoder = new TextDecoder('utf-16le')
    else if (second && fourth && !first && !third) this.#decoder = new TextDecoder('utf-16be')
  }

  push(bytes: Uint8Array): string {
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: true })
    if (this.#sample) return this.#gather(this.#sample, bytes)
    if (this.#held.length === 0 && isAscii(bytes))
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    const whole = all.subarray(0, all.length - unfinished(all))
    // A few bytes of one character's beginning tell nothing yet.
    if (whole.length === 0 || isAscii(whole)) {
      if (all.length > 8) return this.#settle(all, 'utf-8')
      this.#held = Uint8Array.from(all)
      return ''
    }
    if (isUtf8(whole)) return this.#settle(all, 'utf-8')
    this.#held = new Uint8Array()
    const from = all.findIndex((byte) => byte >= 0x80)
    const before = Buffer.from(all.subarray(0, from)).toString('latin1')
    this.#sample = { bytes: Buffer.alloc(looked), length: 0 }
    return before + this.#gather(this.#sample, all.subarray(from))
  }

  end(): string {
    if (this.#held.length > 0) this.#sample = { bytes: Buffer.from(this.#held), length: this.#held.length }
    const text = this.#sample ? this.#decide(this.#sample) : ''
    return text + (this.#decoder?.decode() ?? '')
  }

  #gather(sample: { bytes: Buffer; length: number }, bytes: Uint8Array): string {
    const taken = bytes.subarray(0, looked - sample.length)
    sample.bytes.set(taken, sample.length)
    sample.length += taken.length
    if (sample.length < looked) return ''
    return this.#decide(sample) + this.push(bytes.subarray(taken.length))
  }

  #decide({ bytes, length }: { bytes: Buffer; length: number }): string {
    const sample = bytes.subarray(0, length)
    const encoding = encodingOf(sample)
    if (encoding !== western) this.#onEncoding(encoding)
    this.#sample = undefined
    return this.#settle(sample, encoding)
  }

  #settle(bytes: Uint8Array, encoding: string): string {
    this.#held = new Uint8Array()
    this.#decoder = new TextDecoder(encoding)
    return this.#decoder.decode(bytes, { stream: true })
  }
}

/** How many bytes at the end begin a UTF-8 character whose rest is still to come. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}
