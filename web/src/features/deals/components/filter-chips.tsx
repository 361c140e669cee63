import type { DealCount } from '@dealdeck/contract/deals'
import type { Marketplace } from '../../../platform/money.ts'
import { type FeedFilters, hidingFilters } from '../view/filters.ts'
import classes from './filter-chips.module.css'

type FilterChipsProps = {
  filters: FeedFilters
  shop: Marketplace
  /** How many deals pass, and of how many; undefined while unknown. */
  matching: DealCount | undefined
  total: number | undefined
  onChange: (change: Partial<FeedFilters>) => void
}

/** How many deals there are to see, and each filter that hides others, to be taken away by a press. */
export function FilterChips({ filters, shop, matching, total, onChange }: FilterChipsProps) {
  return (
    <div className={classes.row}>
      <span className={classes.count}>
        {matching && (
          <>
            <b>
              {shop.number(matching.count)}
              {matching.has_more && '+'}
            </b>{' '}
            {total !== undefined && `of ${shop.number(total)}`}
          </>
        )}
      </span>
      {hidingFilters(filters, shop.money).map(({ label, without }) => (
        <button
          key={label}
          type="button"
          className={classes.chip}
          title="Clear this filter"
          onClick={() => onChange(without)}
        >
          {label} <span aria-hidden>×</span>
        </button>
      ))}
    </div>
  )
}
