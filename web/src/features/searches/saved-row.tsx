import type { SavedSearch } from '@dealdeck/contract/searches'
import { IconBookmarkPlus, IconBookmarks } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { errorMessage } from '../../platform/api-error.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { LateDialog } from '../../ui/late-dialog.tsx'
import spoken from '../../ui/unseen.module.css'
import { useSearchChanges } from './api.ts'
import { useSearches } from './live.ts'
import classes from './saved-row.module.css'
import { askedFor, moved, newsOf, textOf } from './view.ts'

type SavedRowProps = {
  /** What the feed is asked: as it is typed, and as one text that asks for the same deals whoever asks it. Left out elsewhere. */
  asked?: { text: string; whole: () => Promise<string> }
  /** Whether its reader is told of what is new in the search on screen. */
  bell?: (search: SavedSearch) => ReactNode
}

/**
 * The one text that asks for the same as what is typed, or the typed one where that can't be told. The one of before until it is
 * known; undefined until then.
 */
function useWholeText({ text, whole }: Required<SavedRowProps>['asked']): string | undefined {
  const [known, setKnown] = useState<string>()
  const latest = useRef(whole)
  latest.current = whole
  useEffect(() => {
    let isCurrent = true
    const know = (found: string) => isCurrent && setKnown(found)
    if (text === '') setKnown(undefined)
    else latest.current().then(know, () => know(text))
    return () => {
      isCurrent = false
    }
  }, [text])
  return text === '' ? undefined : known
}

const nothing = { text: '', whole: async () => '' }

const saveDialog = { fetch: async () => (await import('./components/save-dialog.tsx')).SaveDialog }

/** The saved searches above the deals, each with what is new in it; in an order that is changed by dragging, or by Alt and arrows. */
export function SavedRow({ asked = nothing, bell }: SavedRowProps) {
  const { searches } = useSearches()
  const { open, arrange } = useSearchChanges()
  const navigate = useNavigate()
  const [saving, setSaving] = useState(false)
  const [said, setSaid] = useState('')
  const { say, ...toast } = useActionNote()
  const dragged = useRef<number>(undefined)
  const shown = searches?.filter(({ is_in_row }) => is_in_row) ?? []
  const wholeText = useWholeText(asked)
  const shownNow = askedFor(searches ?? [], asked.text, wholeText)
  const [first] = shownNow
  // In no order of the row's: to move one past another is not to open it.
  const openIds = shownNow
    .map(({ id }) => id)
    .sort((one, other) => one - other)
    .join()
  const { mutate } = open
  const noteOpened = useCallback(() => {
    for (const id of openIds.split(',')) if (id !== '') mutate(Number(id))
  }, [openIds, mutate])
  // However its reader came here, what is new in it is before them.
  useEffect(noteOpened, [noteOpened])
  if (searches === undefined || (searches.length === 0 && asked.text === '')) return null

  function put(search: SavedSearch, to: number) {
    const target = shown[to]
    if (!searches || !target || target.id === search.id) return
    arrange.mutate(moved(searches, searches.indexOf(search), searches.indexOf(target)), {
      onError: (error) => say({ text: `The order was not saved. ${errorMessage(error)}`, failed: true }),
    })
    setSaid(`${search.name} is ${to + 1} of ${shown.length}`)
  }

  function onKeyDown(event: KeyboardEvent, search: SavedSearch, at: number) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!event.altKey || step === undefined) return
    // The browser would go back in its history.
    event.preventDefault()
    put(search, at + step)
    const pill = event.currentTarget
    // Where it moved the element itself, the focus is lost.
    requestAnimationFrame(() => pill instanceof HTMLElement && pill.focus())
  }

  return (
    <nav className={classes.bar} aria-label="Saved searches">
      <ul className={classes.row}>
        {shown.map((search, at) => {
          const isOpen = shownNow.includes(search)
          const news = newsOf(search)
          return (
            <li key={search.id} className={classes.item}>
              <Link
                to="/amazon-haul"
                search={{ q: textOf(search) }}
                className={classes.pill}
                aria-current={isOpen ? 'page' : undefined}
                aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight"
                title={search.is_mine ? undefined : `Shared by ${search.owner}`}
                draggable
                onClick={() => isOpen && noteOpened()}
                onKeyDown={(event) => onKeyDown(event, search, at)}
                onDragStart={() => {
                  dragged.current = search.id
                }}
                onDragOver={(event) => dragged.current !== undefined && event.preventDefault()}
                onDrop={(event) => {
                  event.preventDefault()
                  const other = searches.find(({ id }) => id === dragged.current)
                  dragged.current = undefined
                  if (other) put(other, at)
                }}
              >
                <span className={classes.name}>{search.name}</span>
                {news && (
                  <span className={classes.news}>
                    <span aria-hidden>{news.short}</span>
                    <span className={spoken.unseen}> {news.whole}</span>
                  </span>
                )}
              </Link>
            </li>
          )
        })}
      </ul>
      <div className={classes.actions}>
        {wholeText !== undefined && first === undefined && (
          <button
            type="button"
            className={classes.action}
            aria-label="Save search"
            onClick={() => setSaving(true)}
          >
            <IconBookmarkPlus size={18} stroke={1.75} aria-hidden />
            <span className={shown.length > 0 ? classes.long : undefined}>Save search</span>
          </button>
        )}
        {first && bell?.(first)}
        {searches.length > 0 && (
          <Link
            to="/searches"
            className={classes.action}
            aria-label="All saved searches"
            title="All saved searches"
          >
            <IconBookmarks size={18} stroke={1.75} aria-hidden />
          </Link>
        )}
      </div>
      <span className={spoken.unseen} role="status">
        {said}
      </span>
      <ActionToast {...toast} />
      {saving && (
        <LateDialog
          of={saveDialog}
          props={{
            asked,
            searches,
            onSaved: (saved, isShown) => {
              say({ text: `Saved “${saved.name}”` })
              // Whoever has closed the dialog looks at something else by now.
              if (!isShown) return
              setSaving(false)
              void navigate({ to: '/amazon-haul', search: { q: textOf(saved) }, replace: true })
            },
            onLateProblem: (text) => say({ text, failed: true }),
            onClose: () => setSaving(false),
          }}
        />
      )}
    </nav>
  )
}
