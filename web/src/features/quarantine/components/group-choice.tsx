import { type Group, type HeldFilter, inOrder } from '../view.ts'
import classes from './group-choice.module.css'

type GroupChoiceProps = {
  groups: readonly Group[]
  chosen: HeldFilter
  number: (value: number) => string
  onChoose: (filter: HeldFilter) => void
}

/** How many wait of each source and rule; choosing one shows these only. */
export function GroupChoice({ groups, chosen, number, onChoose }: GroupChoiceProps) {
  const all = groups.reduce((sum, { count }) => sum + count, 0)
  const isAll = chosen.source === undefined && chosen.rule === undefined
  return (
    // biome-ignore lint/a11y/useSemanticElements: it chooses what is shown and is no part of a form
    <div role="group" aria-label="By source and rule" className={classes.groups}>
      <button type="button" className={classes.group} aria-pressed={isAll} onClick={() => onChoose({})}>
        <span className={classes.label}>Everything</span>
        <span className={classes.count}>{number(all)}</span>
      </button>
      {inOrder(groups).map(({ source_id, source, rule, label, count }) => (
        <button
          key={`${source_id} ${rule}`}
          type="button"
          className={classes.group}
          aria-pressed={chosen.source === source_id && (chosen.rule ?? rule) === rule}
          onClick={() => onChoose({ source: source_id, rule })}
        >
          <span className={classes.label}>
            {source}: {label}
          </span>
          <span className={classes.count}>{number(count)}</span>
        </button>
      ))}
    </div>
  )
}
