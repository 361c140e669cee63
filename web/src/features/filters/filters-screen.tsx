import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { useCopy } from '../../platform/clipboard.ts'
import { useMarketplace } from '../../platform/money.ts'
import { CopyToast } from '../../ui/copy-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { WaitingGrid } from '../../ui/waiting-grid.tsx'
import { WindowedGrid } from '../../ui/windowed-grid.tsx'
import { BrandTable } from './components/brand-table.tsx'
import { CategoryTabs } from './components/category-tabs.tsx'
import { FilterCard } from './components/filter-card.tsx'
import { ScreenHead } from './components/screen-head.tsx'
import classes from './filters-screen.module.css'
import { useFilters } from './live.ts'
import type { BrandSort, FiltersSearch } from './view/search.ts'
import { categoryLabels, countTabs, entriesOf, indexFilters, searchEntries, sortBrands } from './view.ts'

const route = getRouteApi('/filters')

const copiedForMs = 2_000
const searchPauseMs = 120
const cellRem = 4.25
const columnRem = 18

/** The reference of all filters: find one by its name, its code or its category, and copy its code. */
export function FiltersScreen() {
  const { q = '', category, sort = 'name', desc = false } = route.useSearch()
  const navigate = route.useNavigate()
  const { number } = useMarketplace()
  const { filters, note } = useFilters()
  const { copied, copy } = useCopy(copiedForMs)
  const tab = category ?? 'all'
  const query = useDeferredValue(q)

  const entries = useMemo(() => filters && indexFilters(filters), [filters])
  const found = useMemo(() => entries && searchEntries(entries, query), [entries, query])
  const counts = useMemo(() => found && countTabs(found), [found])
  const shown = useMemo(() => {
    const inTab = found && entriesOf(found, tab)
    return tab === 'brands' ? inTab && sortBrands(inTab, sort, desc) : inTab
  }, [found, tab, sort, desc])

  const go = (change: FiltersSearch, replace: boolean) => {
    const now: FiltersSearch = {
      q: q || undefined,
      category,
      sort: sort === 'code' ? sort : undefined,
      desc: desc || undefined,
    }
    void navigate({ search: { ...now, ...change }, replace, resetScroll: false })
  }
  const sortBy = (by: BrandSort) =>
    go({ sort: by === 'code' ? by : undefined, desc: (by === sort && !desc) || undefined }, true)

  return (
    <div className={classes.screen}>
      <ScreenHead title="Filters" note={note}>
        <p role="status">
          {query === '' || found === undefined
            ? 'The code each filter adds to a search link.'
            : `${number(found.length)} of ${number(filters?.length ?? 0)} filters`}
        </p>
      </ScreenHead>
      <div className={classes.search}>
        <SearchBox
          label="Search by name or code"
          value={q}
          pauseMs={searchPauseMs}
          onSearch={(text) => go({ q: text || undefined }, true)}
        />
      </div>
      <CategoryTabs
        tab={tab}
        counts={counts}
        number={number}
        onTab={(next) =>
          go({ category: next === 'all' ? undefined : next, sort: undefined, desc: undefined }, false)
        }
      >
        {shown === undefined ? (
          <WaitingGrid label="Loading filters" count={12} columnRem={columnRem} cellRem={cellRem} />
        ) : shown.length > 0 && tab === 'brands' ? (
          <BrandTable
            entries={shown}
            sort={sort}
            descending={desc}
            copied={copied?.ok ? copied.key : undefined}
            onSort={sortBy}
            onCopy={({ filter }) => void copy(filter.name, filter.code)}
          />
        ) : shown.length > 0 ? (
          <WindowedGrid
            label={tab === 'all' ? 'All filters' : categoryLabels[tab]}
            count={shown.length}
            columnRem={columnRem}
            cellRem={cellRem}
            cell={(position) => {
              const filter = shown[position]?.filter
              if (filter === undefined) return null
              const key = `${filter.category} ${filter.name}`
              return (
                <FilterCard
                  filter={filter}
                  withCategory={tab === 'all'}
                  copied={copied?.ok === true && copied.key === key}
                  onCopy={() => void copy(key, filter.code)}
                />
              )
            }}
          />
        ) : (
          <Nothing
            query={query}
            elsewhere={tab === 'all' ? 0 : (found?.length ?? 0)}
            number={number}
            onClear={() => go({ q: undefined }, true)}
            onAll={() => go({ category: undefined, sort: undefined, desc: undefined }, false)}
          />
        )}
      </CategoryTabs>
      <CopyToast copied={copied} success="Code copied" failure="Failed to copy" />
    </div>
  )
}

type NothingProps = {
  query: string
  /** How many filters of other categories match. */
  elsewhere: number
  number: (value: number) => string
  onClear: () => void
  onAll: () => void
}

function Nothing({ query, elsewhere, number, onClear, onAll }: NothingProps) {
  if (query === '' && elsewhere === 0) {
    return <Notice title="No filters yet">They show up here as soon as an administrator adds some.</Notice>
  }
  if (elsewhere > 0) {
    return (
      <Notice
        title={query === '' ? 'No filters in this category yet' : 'No match in this category'}
        action={<Button onClick={onAll}>Show all categories</Button>}
      >
        {elsewhere === 1 ? 'Another category has one.' : `Other categories have ${number(elsewhere)}.`}
      </Notice>
    )
  }
  return (
    <Notice title="No filter matches" action={<Button onClick={onClear}>Clear search</Button>}>
      Nothing has “{query}” in its name or code.
    </Notice>
  )
}
