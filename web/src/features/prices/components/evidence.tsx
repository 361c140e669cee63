import type { Evidence as Figure } from '../view.ts'
import classes from './evidence.module.css'

/** The figures that a verdict stands on; what seldom decides is folded. */
export function Evidence({ first, more }: { first: readonly Figure[]; more: readonly Figure[] }) {
  return (
    <>
      <Figures figures={first} />
      {more.length > 0 && (
        <details className={classes.more}>
          <summary>More figures</summary>
          <Figures figures={more} />
        </details>
      )}
    </>
  )
}

function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={classes.list}>
      {figures.map(({ label, value, note }) => (
        <div key={label} className={classes.figure}>
          <dt>{label}</dt>
          <dd>
            {value} {note && <span className={classes.note}>{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
