import type { DealCount } from '@dealdeck/contract/deals'
import { ActionIcon, Badge, Button, NativeSelect, Switch } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconChevronDown, IconRefresh } from '@tabler/icons-react'
import { useId, useRef, useState } from 'react'
import { deviceKeys } from '../../../platform/device-keys.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { readStored, writeStored } from '../../../platform/storage.ts'
import { AmountInput } from '../../../ui/amount-input.tsx'
import { SearchBox } from '../../../ui/search-box.tsx'
import {
  activeFilters,
  defaultFilters,
  type FeedFilters,
  type FeedSort,
  parseAmount,
} from '../view/filters.ts'
import classes from './filter-bar.module.css'
import { FilterChips } from './filter-chips.tsx'

type FilterBarProps = {
  filters: FeedFilters
  /** The user's own highest price, which a reset returns to. */
  defaultMax: number
  shop: Marketplace
  /** How many deals pass the filters, and how many there are; undefined while unknown. */
  matching: DealCount | undefined
  total: number | undefined
  refreshing: boolean
  /** `typed` changes come while somebody is typing and belong to one step of the browser's history. */
  onChange: (change: Partial<FeedFilters>, typed: boolean) => void
  onRefresh: () => void
}

const sorts: { value: FeedSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'updated', label: 'Last changed' },
  { value: 'discount', label: 'Biggest discount' },
  { value: 'price', label: 'Lowest price' },
]

/** Steps to choose from, and the one an address asks for where it is none of them. */
function stepsWith(value: number | null, steps: readonly number[], label: (step: number) => string) {
  const all = value === null || steps.includes(value) ? steps : [...steps, value].sort((a, b) => a - b)
  return [{ value: '', label: 'Any' }, ...all.map((step) => ({ value: String(step), label: label(step) }))]
}

function startsOpen(): boolean {
  const stored = readStored(deviceKeys.filtersOpen)
  return typeof stored === 'boolean'
    ? stored
    : window.matchMedia('(min-width: 48em) and (min-height: 30em)').matches
}

/** Search, refresh and the filters, which fold away; whether they do is kept on the device. */
export function FilterBar(props: FilterBarProps) {
  const { filters, defaultMax, shop, matching, total, refreshing, onChange, onRefresh } = props
  const [open, setOpen] = useState(startsOpen)
  const [resets, setResets] = useState(0)
  const toggle = useRef<HTMLButtonElement>(null)
  const panelId = useId()
  const active = activeFilters(filters, defaultMax)
  const isCrossed = filters.min !== null && filters.max !== null && filters.min > filters.max

  function show(next: boolean) {
    setOpen(next)
    writeStored(deviceKeys.filtersOpen, next)
  }

  return (
    <section className={classes.bar} aria-label="Search and filters">
      <div className={classes.first}>
        <div className={classes.search}>
          <SearchBox
            label="Search deals"
            value={filters.query}
            onSearch={(query) => onChange({ query }, true)}
          />
        </div>
        <Button
          ref={toggle}
          variant="default"
          className={classes.toggle}
          leftSection={<IconAdjustmentsHorizontal size={18} stroke={1.75} aria-hidden />}
          rightSection={
            <IconChevronDown
              size={16}
              className={classes.chevron}
              data-open={open || undefined}
              aria-hidden
            />
          }
          aria-expanded={open}
          aria-controls={panelId}
          onClick={() => show(!open)}
        >
          Filters
          {active > 0 && (
            <Badge className={classes.count} circle={active < 10} aria-label={`${active} active`}>
              {active}
            </Badge>
          )}
        </Button>
        <ActionIcon
          variant="default"
          size={36}
          aria-label="Refresh deals"
          title="Refresh deals"
          loading={refreshing}
          onClick={onRefresh}
        >
          <IconRefresh size={18} stroke={1.75} aria-hidden />
        </ActionIcon>
      </div>
      <FilterChips
        filters={filters}
        shop={shop}
        matching={matching}
        total={total}
        onChange={(part) => onChange(part, false)}
      />
      {open && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Esc anywhere in the panel folds it away
        <div
          id={panelId}
          className={classes.panel}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            show(false)
            toggle.current?.focus()
          }}
        >
          <NativeSelect
            label="Sort by"
            className={classes.sort}
            data={sorts}
            value={filters.sort}
            onChange={(event) => {
              const chosen = sorts.find(({ value }) => value === event.currentTarget.value)
              if (chosen) onChange({ sort: chosen.value }, false)
            }}
          />
          <div className={classes.range} key={resets}>
            <AmountInput
              label={`Min price (${shop.currency})`}
              placeholder="0"
              value={filters.min}
              parse={parseAmount}
              onAmount={(min) => onChange({ min: min || null }, true)}
            />
            <AmountInput
              label={`Max price (${shop.currency})`}
              placeholder="No limit"
              value={filters.max}
              parse={parseAmount}
              error={isCrossed ? 'Below the min price' : undefined}
              onAmount={(max) => onChange({ max }, true)}
            />
          </div>
          <div className={classes.least}>
            <NativeSelect
              label="At least off"
              data={stepsWith(filters.minDiscount, [10, 25, 50, 75, 90], (step) => `${step}%`)}
              value={filters.minDiscount ?? ''}
              onChange={({ currentTarget: { value } }) =>
                onChange({ minDiscount: Number(value) || null }, false)
              }
            />
            <NativeSelect
              label="Rated at least"
              data={stepsWith(filters.minRating, [3, 4, 4.5], (step) => `${step} stars`)}
              value={filters.minRating ?? ''}
              onChange={({ currentTarget: { value } }) =>
                onChange({ minRating: Number(value) || null }, false)
              }
            />
          </div>
          <div className={classes.switches}>
            <Switch
              label="Discounted only"
              checked={filters.discountedOnly}
              onChange={(event) => onChange({ discountedOnly: event.currentTarget.checked }, false)}
            />
            <Switch
              label="Prime only"
              checked={filters.primeOnly}
              onChange={(event) => onChange({ primeOnly: event.currentTarget.checked }, false)}
            />
            <Switch
              label="Today only"
              checked={filters.todayOnly}
              onChange={(event) => onChange({ todayOnly: event.currentTarget.checked }, false)}
            />
          </div>
          <Button
            variant="subtle"
            className={classes.reset}
            disabled={active === 0 && filters.sort === 'newest'}
            onClick={() => {
              setResets(resets + 1)
              onChange({ ...defaultFilters(defaultMax), query: filters.query }, false)
            }}
          >
            Reset
          </Button>
        </div>
      )}
    </section>
  )
}
