import { TextDecoder } from 'node:util'

/** In a text with more bytes beyond ASCII than this, how often each comes says what it is. */
const mostShort = 64
/** So large a part of the characters is common in any text. */
const leastCommon = 0.5
/** What is written in two bytes a character: Chinese characters, kana and Hangul, with the signs that come with them. */
const eastAsian = /^[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff9f\u2010-\u26ff\xa0-\xff]+$/

type Encoding = {
  name: string
  /** Whether two bytes are one of the characters that most texts are made of. */
  isCommon: (lead: number, trail: number) => boolean
  /** Whether a byte is a character by itself. */
  isSingle?: (lead: number) => boolean
}

const isHigh = (lead: number, trail: number) => lead >= 0xa1 && trail >= 0xa1
const encodings: readonly Encoding[] = [
  { name: 'Shift_JIS', isCommon: (lead) => lead < 0xa0, isSingle: (lead) => lead >= 0xa1 && lead <= 0xdf },
  { name: 'GB18030', isCommon: isHigh },
  { name: 'Big5', isCommon: (lead) => lead >= 0xa1 && lead <= 0xc9 },
  { name: 'EUC-KR', isCommon: isHigh },
  { name: 'EUC-JP', isCommon: isHigh },
]

/**
 * The encodings in which a text of few bytes beyond ASCII would be Chinese, Japanese or Korean. Too short for how often a byte
 * comes to say anything, it may be that whatever else it reads like.
 */
export function doubleByteEncodings(bytes: Uint8Array): string[] {
  if (bytes.filter((byte) => byte >= 0x80).length > mostShort) return []
  return encodings.flatMap((encoding) => {
    const written = textIn(bytes, encoding.name).replace(/[\0-\x7f]+/g, '')
    return eastAsian.test(written) && commonShare(bytes, encoding) >= leastCommon ? [encoding.name] : []
  })
}

/** The text in an encoding, without a character that the end cuts off; '' where the bytes are none of it. */
function textIn(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder(name, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return ''
  }
}

function commonShare(bytes: Uint8Array, { isCommon, isSingle }: Encoding): number {
  let [common, all] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0
    if (lead < 0x80) continue
    all += 1
    if (isSingle?.(lead)) continue
    at += 1
    if (isCommon(lead, bytes[at] ?? 0)) common += 1
  }
  return common / Math.max(1, all)
}

const word = /\p{L}+(?:[’'-]\p{L}+)*/gu
const plain = /[A-Za-z]/g
/** Letters that hardly any word of the western languages has. */
const rare = /[ŠŒŽšœžŸ]/
/** `für`, `Größe`, `CAFÉ`, `d’été`, `Öl`: each piece in one case but for its first letter, most letters plain. */
const piece = /^(?:[A-ZÀ-ÖØ-ÞŠŒŽ]?[a-zß-öø-ÿšœž]+|[A-ZÀ-ÖØ-ÞŠŒŽ]+)$/
/** Signs of Windows-1252 in the places that they have in print. */
const signs = [
  /“(?=[^“”„]*”)|(?<=“[^“”„]*)”|„(?=[^“”„]*[“”])|(?<=„[^“”„]*)[“”]/g,
  /‘(?=[^‘’]*’)|(?<=‘[^‘’]*)’|«(?=[^«»]*»)|(?<=«[^«»]*)»/g,
  /(?<=^|[\s\d])[–—](?=[\s\d]|$)|•(?=\s)|…(?=\s|$)|(?<=[A-Za-z\d])[™®](?![A-Za-z])|©(?=\s)/g,
  /(?<=\d\s?)[€£¥°½¼¾²³”’ºª](?![A-Za-z])|[€£¥](?=\s?\d)|(?<=\d\s?)µ(?=[a-z])|(?<=[\d\s])[×·](?=[\d\s])|\xa0/g,
]

/** Whether bytes read as Windows-1252 are words and signs as they are printed, and nothing else. */
export function isPrintedWestern(bytes: Uint8Array): boolean {
  const text = new TextDecoder('windows-1252').decode(bytes)
  const withoutSigns = signs.reduce((left, sign) => left.replace(sign, ' '), text)
  const rest = withoutSigns.replace(word, (found) => (isWesternWord(found) ? '' : found))
  return !/[^\0-\x7f]/.test(rest)
}

function isWesternWord(found: string): boolean {
  const letters = found.replace(/[’'-]/g, '')
  const plainLetters = letters.match(plain)?.length ?? 0
  const others = letters.length - plainLetters
  if (others === 0) return true
  const isShort = /^(?:[À-ÿ][a-z]|[a-z][À-ÿ])$|^(?=.*[a-z])[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]{2,3}$/.test(letters)
  const isPlain = plainLetters >= 2 && plainLetters >= others * (rare.test(letters) ? 2 : 1)
  return (isShort || isPlain) && found.split(/[’'-]/).every((part) => piece.test(part))
}
