import { type RefObject, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import classes from './full-text.module.css'
import type { FullTextShown } from './full-text-reader.ts'

/** What somebody who reads a list does, and what ends it. */
const doings = ['pointerover', 'pointerdown', 'focusin', 'pointerup', 'pointercancel', 'focusout']

/**
 * Shows in full the cut texts of a list, over the list and never for long: of an element with `data-full-text` when its
 * article is pointed at for a moment, has the focus by keyboard, or is held by a finger. Esc, scrolling and moving on end it.
 */
export function FullText({ list }: { list: RefObject<HTMLElement | null> }) {
  const [shown, setShown] = useState<FullTextShown>()
  useEffect(() => {
    const element = list.current
    if (element === null) return
    const ending = new AbortController()
    const { signal } = ending
    let last: Event | undefined
    // Nobody needs it at first; meanwhile what was done last is kept. Where it can't be had, cut texts stay cut.
    const follow = (event: Event) => {
      if (last === undefined)
        import('./full-text-reader.ts').then(
          ({ followReader }) => {
            for (const name of doings) element.removeEventListener(name, follow)
            if (!signal.aborted) followReader(element, setShown, signal, last)
          },
          () => undefined,
        )
      last = event
    }
    for (const name of doings) element.addEventListener(name, follow, { signal })
    return () => ending.abort()
  }, [list])
  if (shown === undefined) return null
  const { text, ...place } = shown
  return createPortal(
    // Who listens to the page has the text already.
    <div className={classes.text} style={place} aria-hidden>
      {text}
    </div>,
    document.body,
  )
}
