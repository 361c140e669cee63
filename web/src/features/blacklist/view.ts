import type { BlacklistedWord, WordPreview } from '@dealdeck/contract/blacklist'

/** What stands in for the list while it can't be loaded; the specification's ten. */
export const builtInWords: readonly string[] = [
  'human braiding hair',
  'keychain',
  'banner',
  'flag',
  'hair extensions',
  'hair extension',
  'wig',
  'crochet hair',
  'dreadlock extensions',
  'ponytail extension',
]

/** The words to show: with the inactive ones the newest first, without them alphabetically, those that hold the text. */
export function shownWords(
  words: readonly BlacklistedWord[],
  text: string,
  withInactive: boolean,
): BlacklistedWord[] {
  const wanted = text.normalize('NFKC').trim().toLowerCase()
  const found = words.filter(({ word, is_active }) => (withInactive || is_active) && word.includes(wanted))
  return withInactive ? found : found.toSorted((a, b) => (a.word < b.word ? -1 : 1))
}

/** '3 active words', '3 active, 2 inactive words'. */
export function countLine(words: readonly BlacklistedWord[], number: (value: number) => string): string {
  const active = words.filter(({ is_active }) => is_active).length
  const inactive = words.length - active
  const tail = (count: number) => (count === 1 ? 'word' : 'words')
  if (inactive === 0) return `${number(active)} active ${tail(active)}`
  return `${number(active)} active, ${number(inactive)} inactive ${tail(inactive)}`
}

/** What adding the word would come to, in a sentence. */
export function previewLine(
  { state, hidden, has_more: hasMore }: WordPreview,
  number: (value: number) => string,
): string {
  if (state === 'active') return 'This word is on the list and active already.'
  const again = state === 'inactive' ? 'It is on the list, inactive; adding makes it active again. ' : ''
  if (hasMore) return `${again}Would hide more than ${number(hidden)} deals.`
  if (hidden === 0) return `${again}Would hide no deal of today’s feed.`
  return `${again}Would hide ${hidden === 1 ? '1 deal' : `${number(hidden)} deals`}.`
}
