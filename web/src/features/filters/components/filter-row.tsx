import type { FilterRecord } from '@dealdeck/contract/filters'
import type { LinkShop } from '@dealdeck/marketplace/search-links'
import { fragmentOfCode, linkOfCode } from '@dealdeck/marketplace/search-links'
import { IconExternalLink, IconPencil, IconTrash } from '@tabler/icons-react'
import icon from '../../../ui/icon-button.module.css'
import { categoryLabels } from '../view.ts'
import classes from './filter-row.module.css'

type FilterRowProps = {
  filter: FilterRecord
  shop: LinkShop
  /** Whether the row says what kind of filter it is. */
  withCategory: boolean
  onEdit: () => void
  onRemove: () => void
}

/** A filter as an administrator sees it: its code, what that becomes in a link, and what can be done with it. */
export function FilterRow({ filter, shop, withCategory, onEdit, onRemove }: FilterRowProps) {
  const { category, name, code } = filter
  const fragment = fragmentOfCode(code)
  return (
    <div className={classes.row}>
      <p className={classes.name} title={name}>
        {name}
      </p>
      <div className={classes.actions}>
        <a
          className={`${icon.button} ${classes.action}`}
          href={linkOfCode(code, shop)}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={`Try ${name} in the shop`}
          title="Try it"
        >
          <IconExternalLink size={18} stroke={1.75} aria-hidden />
        </a>
        <button
          type="button"
          className={`${icon.button} ${classes.action}`}
          aria-label={`Edit ${name}`}
          title="Edit"
          onClick={onEdit}
        >
          <IconPencil size={18} stroke={1.75} aria-hidden />
        </button>
        <button
          type="button"
          className={`${icon.button} ${classes.action}`}
          aria-label={`Remove ${name}`}
          title="Remove"
          // At the second click of a double one the next filter may stand here.
          onClick={({ detail }) => detail < 2 && onRemove()}
        >
          <IconTrash size={18} stroke={1.75} aria-hidden />
        </button>
      </div>
      <p className={classes.line}>
        <code title={code}>{code}</code>
        {withCategory && <span className={classes.category}>{categoryLabels[category]}</span>}
      </p>
      <p className={classes.line}>
        <span className={classes.word}>In links:</span> <code title={fragment}>{fragment}</code>
      </p>
    </div>
  )
}
