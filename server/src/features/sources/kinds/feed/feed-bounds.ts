/**
 * Of what parsers take long for, any feed has far less: tags, attributes and references such as `&amp;` in all, characters of a tag, tags
 * around a tag.
 */
const most = { tags: 400_000, attributes: 400_000, references: 300_000, tagCharacters: 8_192, depth: 64 }

/**
 * Whether a document goes beyond what any feed has, told in one pass over it: whoever sends it may want the parser to be
 * busy for a minute, in which nobody else is answered.
 */
export function isBeyondAnyFeed(xml: string): boolean {
  if (hasMoreThan(most.references, xml, '&')) return true
  let [tags, attributes, depth, sign] = [0, 0, 0, 0]
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at)) {
    if (++tags > most.tags) return true
    const skipped = endOfLiteral(xml, at)
    if (skipped !== undefined) {
      at = skipped
      continue
    }
    const end = xml.indexOf('>', at)
    if ((end < 0 ? xml.length : end) - at > most.tagCharacters) return true
    if (end < 0) return false
    // Never back: where the document has no further one, it is looked through for it once.
    if (sign < at) sign = indexOf(xml, '=', at)
    for (; sign < end; sign = indexOf(xml, '=', sign + 1)) attributes += 1
    if (attributes > most.attributes) return true
    const isEmpty = xml[end - 1] === '/' || xml[at + 1] === '?' || xml[at + 1] === '!'
    depth += xml[at + 1] === '/' ? -1 : isEmpty ? 0 : 1
    if (depth > most.depth) return true
    at = end + 1
  }
  return false
}

/** Of what holds a JSON document together any feed has far less: braces, brackets, colons and commas, those in texts included. */
const mostSigns = 1_500_000

/** The same of a JSON document: one of nothing but empty objects takes a hundred times its size of memory. */
export function isBeyondAnyJsonFeed(json: string): boolean {
  let left = mostSigns
  for (const sign of ['{', '[', ':', ',']) {
    for (let at = json.indexOf(sign); at >= 0 && left >= 0; at = json.indexOf(sign, at + 1)) left -= 1
  }
  return left < 0
}

function hasMoreThan(count: number, text: string, sign: string): boolean {
  let left = count
  for (let at = text.indexOf(sign); at >= 0 && left >= 0; at = text.indexOf(sign, at + 1)) left -= 1
  return left < 0
}

const indexOf = (text: string, sign: string, from: number): number => {
  const at = text.indexOf(sign, from)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}

/** Where a comment or a piece of literal text ends that begins here; undefined where none does. */
function endOfLiteral(xml: string, at: number): number | undefined {
  for (const [start, end] of [
    ['<![CDATA[', ']]>'],
    ['<!--', '-->'],
  ] as const) {
    if (!xml.startsWith(start, at)) continue
    const found = xml.indexOf(end, at + start.length)
    return found < 0 ? xml.length : found + end.length
  }
  return undefined
}
