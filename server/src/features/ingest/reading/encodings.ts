import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { analyse } from 'chardet'
import { AppError } from '../../../platform/errors.ts'
import { doubleByteEncodings, isPrintedWestern } from './double-bytes.ts'

/** Hears of an encoding other than UTF-8, UTF-16 and Windows-1252, by its name. */
export type OnEncoding = (name: string) => void

/** Bytes on which an encoding is decided, from the first that isn't ASCII. */
const looked = 16 * 1024
/** Bytes that are kept of what stands before those: a word, most often. */
const beforeKept = 32
const western = 'windows-1252'
const fewestHigh = 6
/** By how much another encoding must be likelier than the western one, which most files without a word of it have. */
const muchLikelier = 1.6
/** An encoding whose letters come in runs is believed from so many of them on, when it is so likely and no other half as likely. */
const believed = { high: 12, confidence: 25 }

/** Encodings whose letters stand alone among ASCII, as the western ones do; of the others, letters come in runs. */
const amongAscii = new Map([
  ['windows-1250', 'windows-1250'],
  ['ISO-8859-2', 'windows-1250'],
  ['windows-1254', 'windows-1254'],
  ['ISO-8859-9', 'windows-1254'],
])
/** Letters of ISO-8859-2 that are signs in Windows-1250. */
const ofIsoOnly = new Set([0xa1, 0xa6, 0xac, 0xb1, 0xb6, 0xbc])
/** What a short text may be, by whether its letters come in runs. */
const maybe = {
  inRuns: [
    ...['windows-1251', 'Shift_JIS', 'GB18030', 'Big5', 'EUC-KR'],
    ...['windows-1253', 'windows-1255', 'windows-1256', 'windows-1250'],
  ],
  amongAscii: ['windows-1250', 'windows-1254', 'windows-1252', 'Shift_JIS', 'Big5'],
}
const mostNamed = 6

/**
 * The encoding, as TextDecoder knows it, of bytes that are no UTF-8, with what stands before them. Throws INVALID_INPUT where
 * that is anybody's guess.
 */
function encodingOf(bytes: Uint8Array, before: Uint8Array): string {
  const high = bytes.reduce((count, byte) => count + (byte >= 0x80 ? 1 : 0), 0)
  if (isDamagedUtf8(bytes)) return 'utf-8'
  const doubles = doubleByteEncodings(bytes)
  if (doubles.length > 0 && !isPrintedWestern(Buffer.concat([before, bytes])))
    return doubleByteOf(bytes, high, doubles)
  const isWestern = strangeBytes(bytes) * 5 < high
  if (isWestern && high < fewestHigh) return western
  const matches = analyse(bytes)
  const [best, second] = matches
  const likelihood = (...names: string[]) =>
    Math.max(0, ...matches.flatMap(({ name, confidence }) => (names.includes(name) ? confidence : [])))
  if (best && high >= fewestHigh && best.confidence >= muchLikelier * likelihood(western, 'ISO-8859-1')) {
    if (best.name === 'ISO-8859-2' && bytes.some((byte) => ofIsoOnly.has(byte))) return 'ISO-8859-2'
    const name = amongAscii.get(best.name)
    if (name !== undefined) return name
  }
  if (isWestern) return western
  const japanese = japaneseOf(bytes)
  if (japanese) return japanese
  if (best && isClear(best, second) && high >= believed.high && isKnown(best.name)) return best.name
  const inRuns = bytes.filter(
    (byte, at) => byte >= 0x80 && ((bytes[at - 1] ?? 0) >= 0x80 || (bytes[at + 1] ?? 0) >= 0x80),
  )
  throw unclear(bytes, inRuns.length >= high * 0.6 ? maybe.inRuns : maybe.amongAscii)
}

/** Which of some encodings of two bytes a character a short text is in. Throws where that can't be told, as it may be no such text. */
function doubleByteOf(bytes: Uint8Array, high: number, doubles: readonly string[]): string {
  const japanese = japaneseOf(bytes)
  if (japanese) return japanese
  const [best, second] = analyse(bytes)
  if (best && isClear(best, second) && high >= believed.high && doubles.includes(best.name)) return best.name
  throw unclear(bytes, [...doubles, ...maybe.inRuns.filter((name) => !doubles.includes(name))])
}

const japaneseOf = (bytes: Uint8Array) =>
  ['Shift_JIS', 'EUC-JP'].find((name) => hasKana(decoded(bytes, name)))

const isClear = (best: { confidence: number }, second: { confidence: number } | undefined) =>
  best.confidence >= believed.confidence && best.confidence >= 2 * (second?.confidence ?? 0)

/** Whether some bytes spoil what else is UTF-8, which no other text looks like by chance. */
function isDamagedUtf8(bytes: Uint8Array): boolean {
  const written = new TextDecoder().decode(bytes, { stream: true }).match(/[^\0-\x7f]/gu) ?? []
  const damaged = written.filter((character) => character === '\ufffd').length
  return written.length - damaged >= 2 * Math.max(1, damaged)
}

/** Letters of Windows-1252, signs that stand beside letters there, and those that hardly any text has. */
const letter = /[\xc0-\xd6\xd8-\xf6\xf8-\xff\x8a\x8c\x8e\x9a\x9c\x9e\x9f]/
const besideLetters = /[\x80\x82\x84\x85\x91-\x97\x99\xa0\xa1\xaa\xab\xae\xb7\xba\xbb\xbf]/
const strangeSign =
  /[\x81\x83\x86-\x88\x8b\x8d\x8f\x90\x98\x9b\x9d\xa4\xa6\xa8\xaf\xb8\xd7\xf7]|(?<=[a-z\xc0-\xff])[\xa1\xbf]/gi

/** How many bytes read as Windows-1252 would make no words: rare signs, and letters in runs, beside signs or no others. */
function strangeBytes(bytes: Uint8Array): number {
  const text = Buffer.from(bytes).toString('latin1')
  let strange = 0
  for (const { 0: run, index } of text.matchAll(/[\x80-\xff]+/g)) {
    const before = text.slice(Math.max(0, index - 1), index)
    const around = before + text.charAt(index + run.length)
    const letters = [...run].filter((character) => letter.test(character)).length
    const signs = [...run].filter((character) => !letter.test(character) && !besideLetters.test(character))
    const isWord =
      letters === 0 || (signs.length === 0 && (letters === 1 || (letters === 2 && /[a-z]/i.test(around))))
    if (!isWord) strange += run.length
    else strange += `${before}${run}`.match(strangeSign)?.length ?? 0
  }
  return strange
}

/** The text in an encoding; undefined where the bytes are none of it. A character that the end cuts off is none. */
function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

/** Whether a text is Japanese: other languages hardly come out with kana, and not beside nothing but what goes with them. */
function hasKana(text = ''): boolean {
  const written = text.match(/[^\0-\x7f]/gu) ?? []
  const kana = written.filter((character) => /[\u3041-\u30ff]/.test(character)).length
  return (
    kana >= 2 &&
    kana * 8 >= written.length &&
    written.every((character) =>
      /[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e\u2010-\u26ff\xa0-\xff]/.test(character),
    )
  )
}

/** What stands in no text of a list. */
const noText = /[^\0-\x7f\p{L}\p{M}\p{N}\p{P}\p{Zs}]/u

/** Names which of some encodings the bytes may be in, and how to say it. */
function unclear(bytes: Uint8Array, encodings: readonly string[]): AppError {
  const names = encodings
    .filter((name) => !noText.test(decoded(bytes, name) ?? '\0\ufffd'))
    .slice(0, mostNamed)
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
  const message = `This text is not UTF-8, and it can not be told what it is${list && `: maybe ${list}`}. Save it as UTF-8, or say which with encoding=${names[0] ?? 'NAME'}. Nothing was imported.`
  return new AppError('INVALID_INPUT', message, { fields: { encoding: message } })
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
 * else it is what somebody has `stated`, or decided from the first byte on that isn't ASCII, on which until then all agree.
 * Throws INVALID_INPUT where it can't be decided, and for a stated one that nobody knows.
 */
export class Decoder {
  readonly #onEncoding: OnEncoding
  #decoder: TextDecoder | undefined
  #held: Uint8Array = new Uint8Array()
  /** The end of what came before the first byte that isn't ASCII. */
  #before: Uint8Array = new Uint8Array()
  /** Bytes that are no UTF-8, until there are enough to tell by. */
  #sample: { bytes: Buffer; length: number } | undefined

  /** `head`: the first four bytes or more, fewer when there are no more. */
  constructor(head: Uint8Array, onEncoding: OnEncoding, stated = '') {
    this.#onEncoding = onEncoding
    const [first = 0, second = 0, third = 0, fourth = 0] = head
    if (first === 0xff && second === 0xfe) this.#decoder = new TextDecoder('utf-16le')
    else if (first === 0xfe && second === 0xff) this.#decoder = new TextDecoder('utf-16be')
    else if (first === 0xef && second === 0xbb) this.#decoder = new TextDecoder('utf-8')
    else if (first && third && !second && !fourth && head.length >= 4)
      this.#decoder = new TextDecoder('utf-16le')
    else if (second && fourth && !first && !third) this.#decoder = new TextDecoder('utf-16be')
    else if (stated !== '') this.#decoder = decoderOf(stated)
  }

  push(bytes: Uint8Array): string {
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: true })
    if (this.#sample) return this.#gather(this.#sample, bytes)
    if (this.#held.length === 0 && isAscii(bytes)) {
      this.#remember(bytes)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    }
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
    this.#remember(all.subarray(0, from))
    this.#sample = { bytes: Buffer.alloc(looked), length: 0 }
    return before + this.#gather(this.#sample, all.subarray(from))
  }

  end(): string {
    if (this.#held.length > 0) this.#sample = { bytes: Buffer.from(this.#held), length: this.#held.length }
    const text = this.#sample ? this.#decide(this.#sample) : ''
    return text + (this.#decoder?.decode() ?? '')
  }

  #remember(bytes: Uint8Array): void {
    this.#before = Buffer.concat([this.#before, bytes.subarray(-beforeKept)]).subarray(-beforeKept)
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
    const encoding = encodingOf(sample, this.#before)
    if (encoding !== western && encoding !== 'utf-8') this.#onEncoding(encoding)
    this.#sample = undefined
    return this.#settle(sample, encoding)
  }

  #settle(bytes: Uint8Array, encoding: string): string {
    this.#held = new Uint8Array()
    this.#decoder = new TextDecoder(encoding)
    return this.#decoder.decode(bytes, { stream: true })
  }
}

function decoderOf(stated: string): TextDecoder {
  if (isKnown(stated)) return new TextDecoder(stated)
  const message = `There is no encoding '${stated.slice(0, 40)}'. Known are utf-8, windows-1252, shift_jis, gb18030 and all others of the web.`
  throw new AppError('INVALID_INPUT', message, { fields: { encoding: message } })
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
