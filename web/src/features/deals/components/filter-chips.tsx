import type { DealCount } from '@dealdeck/contract/deals'
import { IconLayoutGrid, IconLayoutList } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Marketplace } from '../../../platform/money.ts'
import { setPreferences, usePreferences } from '../../../platform/preferences.ts'
import { IconSwitch } from '../../../ui/icon-switch.tsx'
import type { Chip } from '../view/chips.ts'
import classes from './filter-chips.module.css'

type FilterChipsProps = {
  chips: readonly Pick<Chip, 'at' | 'label'>[]
  shop: Marketplace
  /** How many deals pass, and of how many; undefined while unknown, `total` also where no total counts them. */
  matching: DealCount | undefined
  total: number | undefined
  onRemove: (at: number) => void
  /** What else is said of the count. */
  children?: ReactNode
}

const layouts = [
  { value: 'grid', label: 'Cards', Icon: IconLayoutGrid },
  { value: 'list', label: 'Compact list', Icon: IconLayoutList },
] as const

const searchField = (row: HTMLElement | null) =>
  row?.closest('section')?.querySelector<HTMLInputElement>('input[type=search]')

/**
 * How many deals there are to see, each part of the question that can be taken away by a press, and how the deals are drawn,
 * which is kept on the device.
 */
export function FilterChips({ chips, shop, matching, total, onRemove, children }: FilterChipsProps) {
  const { layout } = usePreferences()
  const row = useRef<HTMLDivElement>(null)
  const removed = useRef<{ position: number; byKey: boolean }>(undefined)
  const before = useRef<string>(undefined)
  const shown = chips.map(({ label }) => label).join('\n')
  useEffect(() => {
    const last = before.current
    before.current = shown
    if (last === undefined || last === shown) return
    const gone = removed.current
    removed.current = undefined
    const left = row.current?.querySelectorAll('button') ?? []
    // The last thing asked is seen; the pressed chip is gone, and its neighbour or the search has the focus.
    if (!gone) row.current?.scrollTo({ left: row.current.scrollWidth })
    else if (gone.byKey) (left[Math.min(gone.position, left.length - 1)] ?? searchField(row.current))?.focus()
  }, [shown])
  // During an import the figures over all deals may be a moment older.
  const isPart = matching && total !== undefined && total >= matching.count
  return (
    <div className={classes.bar}>
      <div ref={row} className={classes.row}>
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
        {children}
        {chips.map(({ at, label }, position) => (
          <button
            key={at}
            type="button"
            className={classes.chip}
            title="Clear this filter"
            onClick={(event) => {
              // A finger wants no keyboard on its screen.
              removed.current = { position, byKey: event.detail === 0 }
              onRemove(at)
            }}
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
