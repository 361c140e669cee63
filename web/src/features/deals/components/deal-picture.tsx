import { useState } from 'react'
import classes from './deal-base.module.css'
import placeholder from './placeholder.svg?inline'

/** A deal's picture in its reserved square; a drawn one stands in for a missing or broken address. */
export function DealPicture({ url }: { url: string | null }) {
  const [state, setState] = useState<'loading' | 'loaded' | 'broken'>('loading')
  const shown = url === null || url === '' || state === 'broken' ? undefined : url
  return (
    <img
      // One that the browser still has is there at once.
      ref={(image) => {
        if (image !== null && state === 'loading' && image.complete && image.naturalWidth > 0)
          setState('loaded')
      }}
      className={classes.image}
      src={shown ?? placeholder}
      data-placeholder={shown === undefined || undefined}
      data-loaded={(shown !== undefined && state === 'loaded') || undefined}
      // The title beside it says what it shows.
      alt=""
      width={400}
      height={400}
      loading="lazy"
      decoding="async"
      draggable={false}
      referrerPolicy="no-referrer"
      // The drawn one arrives too.
      onLoad={() => setState((before) => (before === 'loading' ? 'loaded' : before))}
      onError={() => setState('broken')}
    />
  )
}
