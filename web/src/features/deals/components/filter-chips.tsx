import type { DealCount } from '@dealdeck/contract/deals'
import { IconLayoutGrid, IconLayoutList } from '@tabler/icons-react'
import type { Marketplace } from '../../../platform/money.ts'
import { setPreferences, usePreferences } from '../../../platform/preferences.ts'
import { IconSwitch } from '../../../ui/icon-switch.tsx'
import type { Chip } from '../view/chips.ts'
import classes from './filter-chips.module.css'

type FilterChipsProps = {
  chips: readonly Pick<Chip, 'at' | 'label'>[]
  shop: Marketplace
  /** How many deals pass, and of how many; undefined while unknown. */
  matching: DealCount | undefined
  total: number | undefined
  onRemove: (at: number) => void
}

const layouts = [
  { value: 'grid', label: 'Cards', Icon: IconLayoutGrid },
  { value: 'list', label: 'Compact list', Icon: IconLayoutList },
] as const

/**
 * How many deals there are to see, each part of the question that can be taken away by a press, and how the deals are drawn,
 * which is kept on the device.
 */
export function FilterChips({ chips, shop, matching, total, onRemove }: FilterChipsProps) {
  const { layout } = usePreferences()
  // During an import the figures over all deals may be a moment older.
  const isPart = matching && total !== undefined && total >= matching.count
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
              {isPart && `of ${shop.number(total)}`}
            </>
          )}
        </span>
        {chips.map(({ at, label }) => (
          <button
            key={at}
            type="button"
            className={classes.chip}
            title="Clear this filter"
            onClick={() => onRemove(at)}
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
