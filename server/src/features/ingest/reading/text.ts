import { decode } from 'html-entities'

/** Words that stand for an empty cell. */
const emptyWords =
  /^(?:null|none|nan|n\/?a|nil|undefined|unknown|-+|–|—|\.|\?|#n\/a|#ref!|#value!|\(null\))$/i

/** A scalar of the source as text, or '' for everything that means nothing. */
export function cellText(value: unknown): string {
  if (typeof value === 'string') {
    const text = value.trim()
    return text.length <= 9 && emptyWords.test(text) ? '' : text
  }
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  return typeof value === 'boolean' ? String(value) : ''
}

/** What the usual title doesn't hold: it has plain letters, digits and punctuation, and nothing to decode. A × alone is a sign, not a letter encoded twice. */
const unusual = /[^ !-%'-;=?-~®°×–—‘-”…™]/
/** What a text of any script may have to be cleaned of: entities, tags, spaces of other kinds, signs that can't be seen, and UTF-8 encoded twice. */
const untidy = /[[<\u0085\u00c2-\u00f4\s\p{Cc}\p{Cf}]--[ \u200c\u200d]]|&[#A-Za-z]/v

const [space, ampersand] = [32, 38]

/** Of each UTF-16 unit, whether a text that holds it has to be looked at sign by sign: it is untidy, or half of a pair. */
const isDoubtful = Uint8Array.from({ length: 0x1_00_00 }, (_, unit) =>
  Number((unit >= 0xd800 && unit <= 0xdfff) || untidy.test(String.fromCharCode(unit))),
)

/** Whether a unit behind an ampersand is one of `#A-Za-z`. */
const beginsEntity = (unit: number) => unit === 35 || ((unit | 32) >= 97 && (unit | 32) <= 122)

/**
 * Whether a text is clean as it is. Nearly all are: a table tells in a third of the time that expressions take for titles of which
 * most aren't plain ASCII.
 */
function isClean(text: string): boolean {
  let before = space
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === space && before === space) return false
    if (isDoubtful[unit] === 1 || (before === ampersand && beginsEntity(unit))) return isTidy(text)
    before = unit
  }
  return before !== space
}

const isTidy = (text: string) =>
  text === text.trim() &&
  !text.includes('  ') &&
  (!unusual.test(text) || (!untidy.test(text) && text.isWellFormed()))

/** Control and format characters; joiners stay, Indic scripts and emoji need them. */
const invisible = /[[\p{Cc}\p{Cf}]--[\u200c\u200d]]/gv
const tags = /<\/?(?:b|i|em|strong|u|br|span|sup|sub|p|font|small)(?:\s[^<>]*)?\/?>/gi

/**
 * A text as people should see it: entities and doubly encoded UTF-8 decoded, simple HTML tags and control characters
 * removed, spaces collapsed, cut to `limit` UTF-16 units without breaking a character.
 */
export function cleanText(raw: string, limit: number): string {
  if (raw.length <= limit && isClean(raw)) return raw
  let text = raw.slice(0, limit * 8)
  for (let round = 0; round < 2 && /&(?:#|[a-z])/i.test(text); round++)
    text = decode(text, { scope: 'strict' })
  text = repairEncoding(text)
  if (text.includes('<')) text = text.replace(tags, ' ')
  text = text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(invisible, '')
    .replace(/ {2,}/g, ' ')
    .trim()
  return cutText(text, limit)
}

/** A text of at most `limit` UTF-16 units. */
export function cutText(text: string, limit: number): string {
  const cut = text.length > limit ? text.slice(0, limit).trimEnd() : text
  // A cut in the middle of a pair, or a half pair of the source, can't be written in UTF-8.
  return cut.replace(/[\ud800-\udbff]$/, '').toWellFormed()
}

/** What Windows-1252 shows for the bytes 80 to 9F; the gaps keep their own code. */
const cp1252 = new Map(
  [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'].map((character, at) => [
    character.charCodeAt(0),
    0x80 + at,
  ]),
)

/** A lead byte of UTF-8 shown as a letter, followed by what continuation bytes look like. */
const doublyEncoded =
  /[\u00c2-\u00f4](?:[\u0080-\u00bf]|[\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122])/
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Undoes UTF-8 that was once read as Windows-1252 (`CafÃ©`), only where every byte fits; anything else is left alone. */
export function repairEncoding(text: string): string {
  let repaired = text
  for (let round = 0; round < 2 && doublyEncoded.test(repaired); round++) {
    const bytes = bytesOfCp1252(repaired)
    if (!bytes) return repaired
    try {
      repaired = strictUtf8.decode(bytes)
    } catch {
      return repaired
    }
  }
  return repaired
}

function bytesOfCp1252(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const byte = code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : cp1252.get(code)
    if (byte === undefined) return undefined
    bytes[at] = byte
  }
  return bytes
}
