import { parseJson } from './raw-row.ts'

/** Nothing worth reading lies deeper. */
const deepest = 200

/** What the beginning of a JSON text holds, cut off anywhere: all that is complete in it. Undefined when it is no JSON. */
export function beginningOf(text: string): unknown {
  let closing = ''
  let cut = { at: 0, closing }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) {
      at = endOfString(text, at)
      continue
    }
    if (code === 123 || code === 91) closing = (code === 123 ? '}' : ']') + closing
    else if (code === 125 || code === 93) closing = closing.slice(1)
    else if (code !== 44) continue
    if (closing.length > deepest) break
    cut = { at: code === 44 ? at : at + 1, closing }
    if (closing === '') break
  }
  return parseJson(text.slice(0, cut.at) + cut.closing)
}

/** Where a string that begins at `from` ends: at its closing quote, or behind the text. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text.charCodeAt(at) !== 34) at += text.charCodeAt(at) === 92 ? 2 : 1
  return at
}
