import type { DealCount } from '@dealdeck/contract/deals'
import { IconLayoutGrid, IconLayoutList } from '@tabler/icons-react'
import type { Marketplace } from '../../../platform/money.ts'
import { setPreferences, usePreferences } from '../../../platform/preferences.ts'
import { IconSwitch } from '../../../ui/icon-switch.tsx'
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

const layouts = [
  { value: 'grid', label: 'Cards', Icon: IconLayoutGrid },
  { value: 'list', label: 'Compact list', Icon: IconLayoutList },
] as const

/**
 * How many deals there are to see, each filter that hides others, to be taken away by a press, and how the deals are drawn,
 * which is kept on the device.
 */
export function FilterChips({ filters, shop, matching, total, onChange }: FilterChipsProps) {
  const { layout } = usePreferences()
  return (
    <div className={classes.bar}>
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
      <IconSwitch
        label="Show deals as"
        choices={layouts}
        value={layout}
        onChange={(chosen) => setPreferences({ layout: chosen })}
      />
    </div>
  )
}
