import { IconArrowUp } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import classes from './scroll-to-top.module.css'

const threshold = 300

/**
 * Whether more than that is behind. Asked for when something scrolls only: in the middle of drawing, the browser would lay the page out
 * for it, and once more when it is drawn.
 */
function useIsFar(): boolean {
  const [isFar, setFar] = useState(false)
  useEffect(() => {
    const look = () => setFar(window.scrollY > threshold)
    window.addEventListener('scroll', look, { passive: true })
    // It may come to a page that has been scrolled already.
    const first = requestAnimationFrame(look)
    return () => {
      cancelAnimationFrame(first)
      window.removeEventListener('scroll', look)
    }
  }, [])
  return isFar
}

/** Leads back to the top once 300 px are behind. `onDone` moves the focus, because the button is about to go. */
export function ScrollToTop({ onDone }: { onDone: () => void }) {
  const isFar = useIsFar()
  return (
    <button
      type="button"
      className={classes.button}
      data-shown={isFar || undefined}
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
