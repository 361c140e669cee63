import { useState } from 'react'
import classes from './deal-base.module.css'
import placeholder from './placeholder.svg?inline'

/** A deal's picture in its reserved square; a drawn one stands in for a missing or broken address. Give it its address as `key`: it begins anew with another one. */
export function DealPicture({ url }: { url: string | null }) {
  const [isBroken, setBroken] = useState(false)
  const shown = url === null || url === '' || isBroken ? undefined : url
  // No state: a change of it while a screen is first drawn would have all that follows done at once, and each card drawn twice.
  const show = (image: HTMLImageElement) => {
    // The drawn one arrives too.
    if (shown !== undefined) image.dataset.loaded = 'true'
  }
  return (
    <img
      // One that the browser still has is there at once.
      ref={(image) => {
        if (image?.complete && image.naturalWidth > 0) show(image)
      }}
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
      onLoad={({ currentTarget }) => show(currentTarget)}
      onError={() => setBroken(true)}
    />
  )
}
