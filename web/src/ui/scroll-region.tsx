import type { ReactNode } from 'react'
import classes from './scroll-region.module.css'

/** A bounded box that scrolls by itself, also by keyboard. `label` names it for screen readers. */
export function ScrollRegion({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      className={classes.region}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
      tabIndex={0}
    >
      {children}
    </section>
  )
}
