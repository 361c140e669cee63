import { useState } from 'react'
import classes from './deal-card.module.css'
import placeholder from './placeholder.svg?inline'

/** A deal's picture in its reserved square; a drawn one stands in for a missing or broken address. */
export function DealPicture({ url }: { url: string | null }) {
  const [broken, setBroken] = useState(false)
  const shown = url === null || url === '' || broken ? undefined : url
  return (
    <img
      className={classes.image}
      src={shown ?? placeholder}
      data-placeholder={shown === undefined || undefined}
      // The title beside it says what it shows.
      alt=""
      width={400}
      height={400}
      loading="lazy"
      decoding="async"
      draggable={false}
      referrerPolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  )
}
