import { XMLValidator } from 'fast-xml-parser'

// XML has no such characters, which parsers let through all the same.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
/** What may hold anything, and an ampersand that begins no reference. */
const bareAmpersands = /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{0,17});)/gi

/** More of them than any feed has would only take long. */
const mostAmpersands = 500_000

/** Whether a text is well-formed XML. */
export function isWellFormed(xml: string): boolean {
  controls.lastIndex = 0
  return !controls.test(xml) && XMLValidator.validate(xml) === true
}

/** `isCut`: its end was left out, so that it may not be all there is. */
export type Repaired = { xml: string; isCut: boolean; note: string }

/**
 * What can be read of XML that is not well formed: bare ampersands are written out and control characters left out, and only
 * where that isn't enough, all behind the last complete entry is left out. Null where nothing helps.
 */
export function repaired(xml: string): Repaired | null {
  if (hasMore(xml, '&', mostAmpersands)) return null
  const plain = xml
    .replace(controls, '')
    .replace(bareAmpersands, (found) => (found === '&' ? '&amp;' : found))
  if (isWellFormed(plain)) {
    const note = 'The feed was not well formed: signs that have to be written out were repaired.'
    return { xml: plain, isCut: false, note }
  }
  const cut = cutBehindLast(plain)
  if (cut === null || !isWellFormed(cut)) return null
  return {
    xml: cut,
    isCut: true,
    note: 'The feed was broken off: what comes behind its last whole entry is left out.',
  }
}

function hasMore(text: string, sign: string, most: number): boolean {
  let count = 0
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) if (++count > most) return true
  return false
}

function cutBehindLast(xml: string): string | null {
  const root = /<([a-z][\w.-]*(?::[\w.-]+)?)[\s>]/i.exec(xml)?.[1]
  const end = endOfLast(xml)
  if (root === undefined || end === null) return null
  const isInChannel = /^rss$/i.test(root)
  const channel = isInChannel ? (/<(channel)[\s>]/i.exec(xml)?.[1] ?? '') : ''
  return `${xml.slice(0, end)}${channel && `</${channel}>`}</${root}>`
}

function endOfLast(xml: string): number | null {
  const lower = Math.max(xml.lastIndexOf('</item'), xml.lastIndexOf('</entry'))
  const prefixed = Math.max(xml.lastIndexOf(':item>'), xml.lastIndexOf(':entry>'))
  const at = xml.indexOf('>', Math.max(lower, prefixed))
  return Math.max(lower, prefixed) < 0 || at < 0 ? null : at + 1
}
