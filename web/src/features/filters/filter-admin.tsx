import type { FilterRecord } from '@dealdeck/contract/filters'
import type { FilterCategory } from '@dealdeck/marketplace/filters'
import { Button } from '@mantine/core'
import { IconDownload, IconPlus, IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { ApiError, errorMessage } from '../../platform/api-error.ts'
import { useMarketplace } from '../../platform/money.ts'
import { ActionToast, useActionNote } from '../../ui/action-toast.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { WaitingGrid } from '../../ui/waiting-grid.tsx'
import { WindowedGrid } from '../../ui/windowed-grid.tsx'
import { filtersQuery } from './api.ts'
import { CategoryTabs } from './components/category-tabs.tsx'
import { FilesDialog } from './components/files-dialog.tsx'
import { type DraftProblem, FilterDialog, type FilterDraft } from './components/filter-dialog.tsx'
import { FilterRow } from './components/filter-row.tsx'
import classes from './filter-admin.module.css'
import { useFilterRecords } from './live.ts'
import { exportAddress, useFilterChanges } from './view/changes.ts'
import { countTabs, entriesOf, indexFilters, searchEntries, type Tab } from './view.ts'

const searchPauseMs = 120
const cellRem = 6.5
const columnRem = 22

type Open = { kind: 'add' } | { kind: 'files' } | { kind: 'edit'; filter: FilterRecord }

/** The filters everybody builds links from: add, edit and remove them, one by one or by file. */
export function FilterAdmin() {
  const { number, marketplace, affiliate_tag: affiliateTag } = useMarketplace()
  const filters = useFilterRecords()
  const queries = useQueryClient()
  const { add, change, remove, importFile } = useFilterChanges()
  const toast = useActionNote()
  const [tab, setTab] = useState<Tab>('all')
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState<Open>()
  const query = useDeferredValue(search)
  const shop = { domain: marketplace, affiliateTag }
  /** Those being removed, or gone: a second click on one would find nothing and say that it failed. */
  const removed = useRef(new Set<number>())
  /** What is saved late leaves another dialog alone that was opened meanwhile. */
  const close = () => setOpen((now) => (now === open ? undefined : now))
  const sayLate = (text: string) => toast.say({ text, failed: true })

  const entries = useMemo(() => filters.data && indexFilters(filters.data), [filters.data])
  const found = useMemo(() => entries && searchEntries(entries, query), [entries, query])
  const counts = useMemo(() => found && countTabs(found), [found])
  const shown = useMemo(() => found && entriesOf(found, tab), [found, tab])

  async function addFilter(draft: FilterDraft): Promise<DraftProblem | undefined> {
    try {
      const { name } = await add.mutateAsync(draft)
      toast.say({ text: `Added “${name}”.` })
      return undefined
    } catch (error) {
      return problemOf(error)
    }
  }

  async function saveFilter(filter: FilterRecord, draft: FilterDraft): Promise<DraftProblem | undefined> {
    try {
      const { name } = await change.mutateAsync({
        ...{ ...draft, id: filter.id },
        expected_updated_at: filter.updated_at,
      })
      toast.say({ text: `Saved “${name}”.` })
      return undefined
    } catch (error) {
      if (!isChangedMeanwhile(error)) return problemOf(error)
      const now = await readAgain(filter)
      if (!now) return { message: 'Filter name already exists or filter not found' }
      if (now.updated_at === filter.updated_at) return problemOf(error)
      // Saving again is then based on what is there now.
      setOpen((shown) => (shown === open ? { kind: 'edit', filter: now } : shown))
      return {
        message: `Somebody else changed this filter meanwhile: it is “${now.name}” with ${now.code} now. Save again to replace that.`,
      }
    }
  }

  /** The filter as it is now; where that can't be read, as it was. */
  async function readAgain({ id }: FilterRecord): Promise<FilterRecord | undefined> {
    await queries.refetchQueries({ queryKey: filtersQuery.queryKey })
    return queries.getQueryData(filtersQuery.queryKey)?.find((filter) => filter.id === id)
  }

  async function removeFilter(filter: FilterRecord): Promise<void> {
    const { id, category, name, code, updated_at } = filter
    if (removed.current.has(id)) return
    removed.current.add(id)
    try {
      await remove.mutateAsync({ params: { id }, query: { expected_updated_at: updated_at } })
      const undo = () => void putBack({ category, name, code })
      toast.say({ text: `Removed “${name}”.`, undo })
    } catch (error) {
      removed.current.delete(id)
      toast.say({ text: await whyKept(filter, error), failed: true })
    }
  }

  async function whyKept(filter: FilterRecord, error: unknown): Promise<string> {
    const now = isChangedMeanwhile(error) ? await readAgain(filter) : undefined
    if (!now) return 'Failed to remove filter'
    if (now.updated_at === filter.updated_at) return errorMessage(error)
    return `Somebody else changed “${filter.name}” meanwhile: it is “${now.name}” with ${now.code} now, and was not removed.`
  }

  async function putBack(draft: FilterDraft): Promise<void> {
    const problem = await addFilter(draft)
    if (problem) toast.say({ text: problem.message, failed: true })
    else toast.say({ text: `“${draft.name}” is back.` })
  }

  const category: FilterCategory = tab === 'all' ? 'brands' : tab
  return (
    <div className={classes.tab}>
      <div className={classes.tools}>
        <SearchBox
          label="Search by name or code"
          value={search}
          pauseMs={searchPauseMs}
          onSearch={setSearch}
        />
        <div className={classes.buttons}>
          <Button
            aria-label="Add filter"
            leftSection={<IconPlus size={18} aria-hidden />}
            onClick={() => setOpen({ kind: 'add' })}
          >
            Add<span className={classes.what}>&nbsp;filter</span>
          </Button>
          <Button
            variant="default"
            leftSection={<IconUpload size={16} aria-hidden />}
            onClick={() => setOpen({ kind: 'files' })}
          >
            Import filters
          </Button>
          {(['json', 'csv'] as const).map((format) => (
            <Button
              key={format}
              variant="default"
              component="a"
              href={exportAddress(format)}
              download
              aria-label={`Export as ${format.toUpperCase()}`}
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              {format.toUpperCase()}
            </Button>
          ))}
        </div>
      </div>
      {filters.isRefetchError && (
        <SourceLabel>Could not refresh. These filters may be out of date.</SourceLabel>
      )}
      <CategoryTabs tab={tab} counts={counts} number={number} onTab={setTab}>
        {shown === undefined && filters.isError ? (
          <Notice
            failed
            title="The filters can’t be loaded"
            action={<Button onClick={() => void filters.refetch()}>Try Again</Button>}
          >
            {errorMessage(filters.error)}
          </Notice>
        ) : shown === undefined ? (
          <WaitingGrid count={9} columnRem={columnRem} cellRem={cellRem} />
        ) : shown.length > 0 ? (
          <WindowedGrid
            label="Filters"
            count={shown.length}
            columnRem={columnRem}
            cellRem={cellRem}
            cell={(position) => {
              const filter = shown[position]?.filter
              return (
                filter && (
                  <FilterRow
                    filter={filter}
                    shop={shop}
                    withCategory={tab === 'all'}
                    onEdit={() => setOpen({ kind: 'edit', filter })}
                    onRemove={() => void removeFilter(filter)}
                  />
                )
              )
            }}
          />
        ) : (
          <Notice
            title={query === '' ? 'No filters here yet' : 'No filter matches'}
            action={query !== '' && <Button onClick={() => setSearch('')}>Clear search</Button>}
          >
            {query === ''
              ? 'Add one, or import a file of them.'
              : `Nothing here has “${query}” in its name or code.`}
          </Notice>
        )}
      </CategoryTabs>
      {open?.kind === 'add' && (
        <FilterDialog
          mode="add"
          draft={{ category, name: '', code: '' }}
          shop={shop}
          onSave={addFilter}
          onLateProblem={sayLate}
          onClose={close}
        />
      )}
      {open?.kind === 'edit' && (
        <FilterDialog
          mode="edit"
          draft={open.filter}
          shop={shop}
          onSave={(draft) => saveFilter(open.filter, draft)}
          onLateProblem={sayLate}
          onClose={close}
        />
      )}
      {open?.kind === 'files' && (
        <FilesDialog
          number={number}
          onImport={(file) => importFile.mutateAsync(file)}
          onDone={(text) => {
            close()
            toast.say({ text })
          }}
          onLateProblem={sayLate}
          onClose={close}
        />
      )}
      <ActionToast {...toast} />
    </div>
  )
}

const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ApiError && error.fields.expected_updated_at !== undefined

function problemOf(error: unknown): DraftProblem {
  const fields = error instanceof ApiError ? error.fields : {}
  const field = (['name', 'code'] as const).find((known) => fields[known] !== undefined)
  return { message: errorMessage(error), field }
}
