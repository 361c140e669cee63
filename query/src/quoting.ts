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

/** A phrase that begins with a number of inches up to their sign, where another quote closes it behind a letter. */
const inches = /["“”＂]\d[\d.,]*(?=["”＂]\s[^"“„«”＂]*\p{L}["”＂](?:[\s)）]|$))/uy

/** The same for a phrase outside of a field's value, which may begin with a number of inches. */
export function phraseEnd(text: string, start: number, closing: string): number {
  inches.lastIndex = start
  return quoteEnd(text, inches.test(text) ? inches.lastIndex : start, closing)
}

/** A value of a list: from `start` to `end`, with a phrase that ends at `phraseEnd` (its closing quote) if it begins with one. */
export type ListedValue = { start: number; phraseEnd: number | null; end: number }

/** What stands between the commas of a field's value; those within quotes part nothing. */
export function listedValues(text: string): ListedValue[] {
  const values: ListedValue[] = []
  for (let start = 0; start <= text.length; ) {
    const first = text[start] === '=' ? start + 1 : start
    const closing = closingQuotes[text[first] ?? '']
    const phraseEnd = closing === undefined ? null : quoteEnd(text, first, closing)
    const comma = text.indexOf(',', phraseEnd ?? start)
    const end = comma < 0 ? text.length : comma
    values.push({ start, phraseEnd, end })
    start = end + 1
  }
  return values
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
