import { getRouteApi, useRouterState } from '@tanstack/react-router'
import { type RefObject, useMemo, useRef, useState } from 'react'
import { usePreferences } from '../../../platform/preferences.ts'
import { orReload } from '../../../platform/recovery.ts'
import { useSession } from '../../../platform/session.ts'
import type { SearchDraft } from '../../../ui/search-box.tsx'
import type { ControlChange } from './controls.ts'
import { type Asker, type DealParams, dealParamsSchema, type FeedFilters } from './filters.ts'
import { fetchLanguage, filtersOf, type Language, useLanguage } from './language.ts'

const route = getRouteApi('/amazon-haul')

/** What the feed is asked for, in the address, and how that is changed. */
export type FeedQuestion = {
  /** The entry of the browser's history. */
  entry: string
  search: DealParams
  text: string
  asker: Asker
  filters: FeedFilters
  /** The one text that asks for the same deals whoever asks it. */
  wholeText: () => Promise<string>
  /** Undefined until somebody begins to ask. */
  language: Language | undefined
  /** The language could not be had, so that no filter can be shown or changed. */
  isLost: boolean
  /** Asks for it again, and for the whole page where the server is there but has no such file any more. */
  loadAgain: () => Promise<void>
  /** Somebody is about to ask. */
  begin: () => void
  /** The search box, whose text may be ahead of the address. */
  draft: RefObject<SearchDraft | null>
  /** Asks another text; `part` names what is typed in, of which one letter after the other is one step of the history. */
  ask: (text: string, part?: string) => Promise<void>
  /** What controls were changed to that the text does not say yet. */
  changing: ControlChange | undefined
  /** Changes what some controls say; where the language can't be had nothing changes. */
  change: (change: ControlChange, part?: string) => Promise<void>
  /** Takes away the chip that stands there in the text. */
  remove: (place: number) => Promise<void>
}

export function useFeedQuestion(): FeedQuestion {
  const { entry, search } = useFeedLocation()
  const navigate = route.useNavigate()
  const { defaultMaxPrice: defaultMax, hidesContradicted } = usePreferences()
  const isAdministrator = useSession().role === 'admin'
  const asker = useMemo(
    () => ({ defaultMax, hidesContradicted, isAdministrator }),
    [defaultMax, hidesContradicted, isAdministrator],
  )
  const [begun, setBegun] = useState(false)
  const { q } = search
  const { language, isLost, load } = useLanguage(begun || q !== undefined)
  const understood = q === undefined ? undefined : language
  const filters = useMemo(() => filtersOf({ q }, asker, understood), [q, asker, understood])
  const [changing, setChanging] = useState<ControlChange>()
  const draft = useRef<SearchDraft>(null)
  const typedTo = useRef<string>(undefined)

  const ask: FeedQuestion['ask'] = async (text, part) => {
    const next = dealParamsSchema.parse({ q: text }).q
    const replace = part !== undefined && typedTo.current === part + q
    typedTo.current = part && part + next
    await navigate({ search: { q: next }, replace })
  }
  const edit = async (change: (language: Language, text: string) => string | undefined, part?: string) => {
    const text = draft.current?.text ?? ''
    // Where the language can't be had nothing changes.
    const next = await load().then(
      (here) => change(here, text),
      () => undefined,
    )
    if (next === undefined) return
    draft.current?.put(next)
    await ask(next, part)
  }
  return {
    ...{ entry, search, text: q ?? '', asker, filters, language, isLost, draft, ask },
    loadAgain: () => orReload(load),
    wholeText: async () => {
      const here = await fetchLanguage()
      return here.wholeText(filtersOf({ q }, asker, here))
    },
    begin: () => setBegun(true),
    changing,
    change: (change, part) => {
      setChanging(change)
      return edit((here, text) => here.withControls(text, change, asker), part).finally(() =>
        setChanging(undefined),
      )
    },
    remove: (place) =>
      edit((here, text) => here.chipsOf(text, asker, String).find(({ at }) => at === place)?.without),
  }
}

/**
 * The entry of the browser's history and its search, always of the same moment. On the way to another screen
 * the router already knows that one's location; the feed stays with its own.
 */
function useFeedLocation(): { entry: string; search: DealParams } {
  const location = useRouterState({ select: (state) => state.location })
  const [own, setOwn] = useState(location)
  if (location !== own && location.pathname === own.pathname) setOwn(location)
  const search = useMemo(() => dealParamsSchema.parse(own.search), [own.search])
  return { entry: own.state.__TSR_key ?? own.href, search }
}
