import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'

const marks: ReadonlyArray<[bytes: readonly number[], encoding: string]> = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

/** Within so many bytes a feed declares its encoding. */
const declaredWithin = 1_000

/**
 * The text of a feed: its encoding is that of a byte order mark, else what the answer says, else what the XML declares, else
 * UTF-8 or, where the bytes are none, Windows-1252. `note` says what was decided against or without a word of it.
 */
export function textOfFeed(bytes: Uint8Array, contentType: string): { text: string; note: string | null } {
  const marked = marks.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1]
  const charset = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1]
  const start = Buffer.from(bytes.subarray(0, declaredWithin)).toString('latin1')
  const declared = /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([^"']{1,40})["']/i.exec(start)?.[1]
  // What can be read byte by byte is not UTF-16, whatever it says.
  const believed = /^utf-?16/i.test(declared ?? '') ? undefined : declared
  const stated = marked ?? knownEncoding(charset) ?? knownEncoding(believed)
  const encoding = stated ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')
  const text = new TextDecoder(encoding).decode(bytes)
  if (stated === undefined && encoding !== 'utf-8')
    return { text, note: 'The feed is not UTF-8 and does not say what it is. It was read as Windows-1252.' }
  const isDamaged = encoding === 'utf-8' && !isUtf8(bytes)
  return { text, note: isDamaged ? 'Some characters of the feed are damaged.' : null }
}

function knownEncoding(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  try {
    return new TextDecoder(name).encoding
  } catch {
    return undefined
  }
}
