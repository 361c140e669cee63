import { useEffect, useState } from 'react'
import { type Asker, type DealParams, defaultFilters, type FeedFilters } from './filters.ts'

/** What understands the questions of the feed. A first visit asks nothing yet, so it comes when it is needed. */
export type Language = typeof import('./understanding.ts').understanding

let language: Language | undefined

/** Rejects where the program can't be had. */
export async function fetchLanguage(): Promise<Language> {
  language ??= (await import('./understanding.ts')).understanding
  return language
}

/** The language, or undefined until it has come; it is fetched once it is `wanted`. */
export function useLanguage(wanted: boolean): Language | undefined {
  const [here, setHere] = useState(language)
  useEffect(() => {
    // What can't be had now is asked for again with the next change.
    if (wanted && !here) fetchLanguage().then(setHere, () => undefined)
  }, [wanted, here])
  return here ?? language
}

/** What an address asks for. Until the language has come the server understands the text, in the order of the newest. */
export function filtersOf({ q }: DealParams, asker: Asker, here?: Language): FeedFilters {
  if (q === undefined) return defaultFilters(asker.defaultMax)
  return here ? here.filtersOfText(q, asker) : { ...defaultFilters(asker.defaultMax), query: q }
}
