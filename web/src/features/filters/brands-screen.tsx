import { Button, Skeleton } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { useCopy } from '../../platform/clipboard.ts'
import { useMarketplace } from '../../platform/money.ts'
import { CopyToast } from '../../ui/copy-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import classes from './brands-screen.module.css'
import { BrandTable } from './components/brand-table.tsx'
import { ScreenHead } from './components/screen-head.tsx'
import { useFilters } from './live.ts'
import type { BrandSort, BrandsSearch } from './view/search.ts'
import { entriesOf, indexFilters, searchEntries, sortBrands } from './view.ts'

const route = getRouteApi('/brands')

const copiedForMs = 2_000
const searchPauseMs = 120

/** Every brand with its filter code, to look up, sort and copy. */
export function BrandsScreen() {
  const { q = '', sort = 'name', desc = false } = route.useSearch()
  const navigate = route.useNavigate()
  const { number } = useMarketplace()
  const { filters, note } = useFilters()
  const { copied, copy } = useCopy(copiedForMs)
  const query = useDeferredValue(q)

  const brands = useMemo(() => filters && entriesOf(indexFilters(filters), 'brands'), [filters])
  const sorted = useMemo(() => brands && sortBrands(brands, sort, desc), [brands, sort, desc])
  const shown = useMemo(() => sorted && searchEntries(sorted, query), [sorted, query])

  const go = (change: BrandsSearch) => {
    const now: BrandsSearch = {
      q: q || undefined,
      sort: sort === 'code' ? sort : undefined,
      desc: desc || undefined,
    }
    void navigate({ search: { ...now, ...change }, replace: true, resetScroll: false })
  }
  const sortBy = (by: BrandSort) =>
    go({ sort: by === 'code' ? by : undefined, desc: (by === sort && !desc) || undefined })

  return (
    <div className={classes.screen}>
      <ScreenHead title="Brands" note={note}>
        <p role="status">
          {shown === undefined ? 'Loading brands' : countLine(shown.length, brands?.length ?? 0, number)}
        </p>
      </ScreenHead>
      <SearchBox
        label="Search brands"
        value={q}
        pauseMs={searchPauseMs}
        onSearch={(text) => go({ q: text || undefined })}
      />
      {shown === undefined ? (
        <div className={classes.waiting} aria-busy="true">
          {Array.from({ length: 12 }, (_, place) => place).map((place) => (
            <Skeleton key={place} height="2.5rem" radius="sm" />
          ))}
        </div>
      ) : shown.length > 0 ? (
        <BrandTable
          entries={shown}
          sort={sort}
          descending={desc}
          copied={copied?.ok ? copied.key : undefined}
          onSort={sortBy}
          onCopy={({ filter }) => void copy(filter.name, filter.code)}
        />
      ) : query === '' ? (
        <Notice title="No brands yet">They show up here as soon as an administrator adds some.</Notice>
      ) : (
        <Notice
          title="No brand matches"
          action={<Button onClick={() => go({ q: undefined })}>Clear search</Button>}
        >
          Nothing has “{query}” in its name or code.
        </Notice>
      )}
      <CopyToast copied={copied} failure="Failed to copy" />
    </div>
  )
}

function countLine(shown: number, all: number, number: (value: number) => string): string {
  if (shown === all) return all === 1 ? '1 brand' : `${number(all)} brands`
  return `${number(shown)} of ${number(all)} brands`
}
