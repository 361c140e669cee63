import type { AuditEntry } from '@dealdeck/contract/audit'
import { deedOf, differences } from '../view.ts'
import classes from './audit-row.module.css'

type AuditRowProps = {
  entry: AuditEntry
  ago: (time: string) => string
  exactTime: (time: string) => string
  number: (value: number) => string
}

/** Who did what to what, when, and what that changed. */
export function AuditRow({ entry, ago, exactTime, number }: AuditRowProps) {
  const changed = differences(entry, number)
  return (
    <li className={classes.row}>
      <p className={classes.deed}>
        <strong>{entry.actor.username}</strong> {deedOf(entry)} <strong>{entry.subject.name}</strong>{' '}
        <time className={classes.time} dateTime={entry.at} title={exactTime(entry.at)}>
          {ago(entry.at)}
        </time>
      </p>
      {changed.length > 0 && (
        <dl className={classes.changes}>
          {changed.map(({ field, before, after }) => (
            <div key={field} className={classes.change}>
              <dt>{field}</dt>
              <dd>
                {before !== null && <del className={classes.before}>{before}</del>}
                {before !== null && after !== null && <span aria-hidden> → </span>}
                {after !== null && <ins className={classes.after}>{after}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}
