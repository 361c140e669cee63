import { useCallback, useEffect, useState } from 'react'
import { type Asker, type DealParams, defaultFilters, type FeedFilters } from './filters.ts'

/** What understands the questions of the feed. A first visit asks nothing yet, so it comes when it is needed. */
export type Language = typeof import('./understanding.ts').understanding

let language: Language | undefined

/** Rejects where the program can't be had. */
export async function fetchLanguage(): Promise<Language> {
  language ??= (await import('./understanding.ts')).understanding
  return language
}

/**
 * The language, or undefined until it has come, which begins once it is `wanted`; `isLost` where it could not be had. It is
 * asked for again with the next change, or by `load`, which rejects where that fails.
 */
export function useLanguage(wanted: boolean) {
  const [here, setHere] = useState(language)
  const [hasFailed, setFailed] = useState(false)
  const load = useCallback(async () => {
    try {
      const found = await fetchLanguage()
      setHere(found)
      return found
    } catch (error) {
      setFailed(true)
      throw error
    }
  }, [])
  useEffect(() => {
    if (wanted && !here) load().catch(() => undefined)
  }, [wanted, here, load])
  const known = here ?? language
  return { language: known, isLost: hasFailed && !known, load }
}

/** What an address asks for. Without the language the server alone understands the text: no parameter overrules it. */
export function filtersOf({ q }: DealParams, asker: Asker, here?: Language): FeedFilters {
  if (q === undefined) return defaultFilters(asker)
  return here ? here.filtersOfText(q, asker) : { sort: undefined, query: q, max: null }
}
