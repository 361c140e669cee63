import { ActionIcon, Badge, Button, NativeSelect, Switch } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconChevronDown, IconRefresh } from '@tabler/icons-react'
import { useId, useRef, useState } from 'react'
import { readStored, writeStored } from '../../../platform/storage.ts'
import { SearchBox } from '../../../ui/search-box.tsx'
import { activeFilters, defaultFilters, type FeedFilters, type FeedSort } from '../view.ts'
import { AmountInput } from './amount-input.tsx'
import classes from './filter-bar.module.css'

type FilterBarProps = {
  filters: FeedFilters
  /** The user's own highest price, which a reset returns to. */
  defaultMax: number
  currency: string
  refreshing: boolean
  /** `typed` changes come while somebody is typing and belong to one step of the browser's history. */
  onChange: (change: Partial<FeedFilters>, typed: boolean) => void
  onRefresh: () => void
}

const sorts: { value: FeedSort; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'discount', label: 'Biggest discount' },
  { value: 'price', label: 'Lowest price' },
]

const openKey = 'dealdeck.filters-open'

function startsOpen(): boolean {
  const stored = readStored(openKey)
  return typeof stored === 'boolean' ? stored : window.matchMedia('(min-width: 48em)').matches
}

/** Search, refresh and the filters, which fold away; whether they do is kept on the device. */
export function FilterBar({
  filters,
  defaultMax,
  currency,
  refreshing,
  onChange,
  onRefresh,
}: FilterBarProps) {
  const [open, setOpen] = useState(startsOpen)
  const [resets, setResets] = useState(0)
  const toggle = useRef<HTMLButtonElement>(null)
  const panelId = useId()
  const active = activeFilters(filters, defaultMax)
  const isCrossed = filters.min !== null && filters.max !== null && filters.min > filters.max

  function show(next: boolean) {
    setOpen(next)
    writeStored(openKey, next)
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
              label={`Min price (${currency})`}
              placeholder="0"
              value={filters.min}
              onAmount={(min) => onChange({ min: min || null }, true)}
            />
            <AmountInput
              label={`Max price (${currency})`}
              placeholder="No limit"
              value={filters.max}
              error={isCrossed ? 'Below the min price' : undefined}
              onAmount={(max) => onChange({ max }, true)}
            />
          </div>
          <div className={classes.switches}>
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
