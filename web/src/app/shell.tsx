import { useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useFilterSync } from '../features/filters/api.ts'
import { useSession } from '../platform/session.ts'
import { SourceLabel } from '../ui/source-label.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { ScrollToTop } from './scroll-to-top.tsx'
import classes from './shell.module.css'
import { SourceNote } from './source-note.tsx'
import { useTakeAlong } from './take-along.ts'

/** What stands around every screen. */
export function Shell({ children }: { children: ReactNode }) {
  const main = useRef<HTMLElement>(null)
  const { is_fallback, role } = useSession()
  useScreenChange(main)
  useFilterSync()
  useTakeAlong()
  return (
    <div className={classes.shell}>
      {/* A button, because a link to #main would enter the address and lose its filters. */}
      <button type="button" className={classes.skip} onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Header />
      <main id="main" ref={main} tabIndex={-1} className={classes.main}>
        {is_fallback && (
          <SourceLabel>
            The database can't be reached. Built-in accounts are signed out when it is back.
          </SourceLabel>
        )}
        {role === 'admin' && <SourceNote as="line" />}
        {children}
      </main>
      <Footer />
      <ScrollToTop onDone={() => main.current?.focus({ preventScroll: true })} />
    </div>
  )
}

/** Titles the window, and after a change of screen moves the focus there, so that a screen reader follows. */
function useScreenChange(main: { current: HTMLElement | null }): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname })
  const title = useRouterState({ select: (state) => state.matches.at(-1)?.staticData.title })
  const previous = useRef<string>(undefined)

  useEffect(() => {
    if (title) document.title = `${title} · Dealdeck`
  }, [title])

  useEffect(() => {
    if (previous.current !== undefined && previous.current !== path)
      main.current?.focus({ preventScroll: true })
    if (path !== undefined) previous.current = path
  }, [path, main])
}
