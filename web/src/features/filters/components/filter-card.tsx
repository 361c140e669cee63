import type { Filter } from '@dealdeck/marketplace/filters'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { categoryLabels } from '../view.ts'
import classes from './filter-card.module.css'

type FilterCardProps = {
  filter: Filter
  /** Whether the card says what kind of filter it is. */
  withCategory: boolean
  /** Its code has just been copied. */
  copied: boolean
  onCopy: () => void
}

/** A filter's name and code; the whole card copies the code. */
export function FilterCard({ filter, withCategory, copied, onCopy }: FilterCardProps) {
  const { category, name, code } = filter
  return (
    <div className={classes.card} data-copied={copied || undefined}>
      <p className={classes.what}>
        <span className={classes.name} title={name}>
          {name}
        </span>{' '}
        {withCategory && <span className={classes.category}>{categoryLabels[category]}</span>}
      </p>
      <code className={classes.code} title={code}>
        {code}
      </code>
      <button type="button" className={classes.copy} aria-label={`Copy the code of ${name}`} onClick={onCopy}>
        {copied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} stroke={1.75} aria-hidden />}
      </button>
    </div>
  )
}
