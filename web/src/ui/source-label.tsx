import type { ReactNode } from 'react'
import classes from './source-label.module.css'

/** A strip that says that what is shown isn't what it usually is: stand-ins, or something out of date. */
export function SourceLabel({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className={classes.label}>
      {children}
    </p>
  )
}
