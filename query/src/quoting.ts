/** What ends a phrase, by what begins it: keyboards make curly quotes of straight ones. */
export const closingQuotes: Record<string, string> = {
  '"': '"',
  '＂': '＂"',
  '“': '”“"',
  '„': '“”"',
  '«': '»',
  '”': '”"',
}

export const isBlank = (sign: string | undefined): boolean =>
  sign === undefined || sign <= ' ' || (sign > '~' && /[\s\p{Cc}]/u.test(sign))

/** Where the closing quote stands of the phrase whose opening one stands at `start`, or the length of the text. */
export function quoteEnd(text: string, start: number, closing: string): number {
  let at = start + 1
  while (at < text.length && !closing.includes(text.charAt(at))) at += text[at] === '\\' ? 2 : 1
  return Math.min(at, text.length)
}

/** What is between quotes: a backslash stands before a quote or backslash that is meant; spaces are single. */
export function unquoted(text: string): string {
  return tidyText(text.replace(/\\(["\\])/g, '$1'))
}

/** A phrase or word as it is looked for: single spaces, no control characters. */
export function tidyText(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
