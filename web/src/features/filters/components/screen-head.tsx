import type { ReactNode } from 'react'
import { SourceLabel } from '../../../ui/source-label.tsx'
import classes from './screen-head.module.css'

type ScreenHeadProps = {
  title: string
  /** Takes the lead's place while what is shown isn't the server's present filters. */
  note: string | undefined
  /** The lead. */
  children: ReactNode
}

/** The title of a screen that shows filters, and a line about them. */
export function ScreenHead({ title, note, children }: ScreenHeadProps) {
  return (
    <header>
      <h1 className={classes.title}>{title}</h1>
      <div className={classes.lead}>{note === undefined ? children : <SourceLabel>{note}</SourceLabel>}</div>
    </header>
  )
}
