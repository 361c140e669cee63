import classes from './percent-chips.module.css'

type PercentChipsProps = {
  steps: readonly { name: string; percent: number }[]
  chosen: ReadonlySet<string>
  written: (percent: number) => string
  /** The only one chosen from now on, or none. */
  onChoose: (name: string | undefined) => void
}

/** The discounts most links are made for, one tap each. A higher one is part of a lower one, so one is all it takes. */
export function PercentChips({ steps, chosen, written, onChoose }: PercentChipsProps) {
  return (
    <fieldset className={classes.row}>
      <legend className={classes.label}>At least this much off</legend>
      {steps.map(({ name, percent }) => (
        <button
          key={name}
          type="button"
          className={classes.chip}
          aria-pressed={chosen.has(name)}
          title={name}
          onClick={() => onChoose(chosen.has(name) ? undefined : name)}
        >
          {written(percent)}
        </button>
      ))}
    </fieldset>
  )
}
