import { type ReactNode, useId } from 'react'
import classes from './panel.module.css'

type PanelProps = {
  title: string
  /** A sentence below the title. */
  lead?: string
  /** Stands at the end of the title's line. */
  action?: ReactNode
  children: ReactNode
}

/** A titled part of the screen. */
export function Panel({ title, lead, action, children }: PanelProps) {
  const id = useId()
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <div className={classes.head}>
        <div>
          <h2 id={id} className={classes.title}>
            {title}
          </h2>
          {lead && <p className={classes.lead}>{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
