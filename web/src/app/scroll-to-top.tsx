import { IconArrowUp } from '@tabler/icons-react'
import { useSyncExternalStore } from 'react'
import classes from './scroll-to-top.module.css'

const threshold = 300

function onScroll(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true })
  return () => window.removeEventListener('scroll', listener)
}

/** Leads back to the top once 300 px are behind. `onDone` moves the focus, because the button is about to go. */
export function ScrollToTop({ onDone }: { onDone: () => void }) {
  const far = useSyncExternalStore(onScroll, () => window.scrollY > threshold)
  return (
    <button
      type="button"
      className={classes.button}
      data-shown={far || undefined}
      aria-label="Scroll to top"
      onClick={() => {
        const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches
        window.scrollTo({ top: 0, behavior: calm ? 'auto' : 'smooth' })
        onDone()
      }}
    >
      <IconArrowUp size={20} aria-hidden />
    </button>
  )
}
