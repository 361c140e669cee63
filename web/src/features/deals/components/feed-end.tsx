import { Button, Loader } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import classes from './feed-end.module.css'

type FeedEndProps = {
  /** 'waiting' while something else is being fetched, so that more can't be asked for yet. */
  state: 'more' | 'loading' | 'failed' | 'end' | 'waiting'
  closingLine: string
  onMore: () => void
}

/** How far below the screen the end already counts as reached. */
const marginPx = 160

/** Below the last card: asks for more when it comes into view, and says when there is no more. */
export function FeedEnd({ state, closingLine, onMore }: FeedEndProps) {
  const end = useRef<HTMLDivElement>(null)
  const [inView, setInView] = useState(false)

  useEffect(() => {
    const element = end.current
    if (element === null) return
    const observer = new IntersectionObserver(([entry]) => setInView(entry?.isIntersecting ?? false), {
      rootMargin: `0px 0px ${marginPx}px`,
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const latest = useRef(onMore)
  latest.current = onMore
  useEffect(() => {
    // The observer speaks a frame late: when more has just come, the end is already out of view.
    const top = end.current?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY
    if (inView && state === 'more' && top < window.innerHeight + marginPx) latest.current()
  }, [inView, state])

  return (
    <div ref={end} className={classes.end} role="status">
      {state === 'loading' && (
        <>
          <Loader size="sm" aria-hidden /> Loading more
        </>
      )}
      {state === 'failed' && (
        <>
          More deals could not be loaded.
          <Button variant="default" size="compact-sm" onClick={onMore}>
            Try Again
          </Button>
        </>
      )}
      {state === 'end' && closingLine}
    </div>
  )
}
