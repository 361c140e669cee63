import type { ReactNode } from 'react'
import classes from './notice.module.css'

type NoticeProps = {
  title: string
  /** Failures are read out at once. */
  failed?: boolean
  children: ReactNode
  action?: ReactNode
}

/** Stands where a list would be, and says what to do next. */
export function Notice({ title, failed = false, children, action }: NoticeProps) {
  return (
    <div className={classes.notice} role={failed ? 'alert' : 'status'}>
      <h2 className={classes.title}>{title}</h2>
      <p className={classes.text}>{children}</p>
      {action}
    </div>
  )
}
