import { IconArrowDown, IconArrowsSort, IconArrowUp, IconCheck, IconCopy } from '@tabler/icons-react'
import { Fragment, useRef, useState } from 'react'
import spoken from '../../../ui/unseen.module.css'
import { usePageArea, useWindowedRows } from '../../../ui/windowed-rows.ts'
import type { BrandSort } from '../view/search.ts'
import type { Entry } from '../view.ts'
import classes from './brand-table.module.css'

type BrandTableProps = {
  entries: readonly Entry[]
  sort: BrandSort
  descending: boolean
  /** The name of the brand whose code has just been copied. */
  copied: string | undefined
  onSort: (sort: BrandSort) => void
  onCopy: (entry: Entry) => void
}

const columns: { sort: BrandSort; label: string }[] = [
  { sort: 'name', label: 'Brand' },
  { sort: 'code', label: 'Filter code' },
]
const rowRem = 2.75

/** Brands and their codes. Only the rows near the screen exist; two empty ones hold the place of the others. */
export function BrandTable({ entries, sort, descending, copied, onSort, onCopy }: BrandTableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const area = usePageArea(body)
  const [focused, setFocused] = useState(-1)

  const virtualizer = useWindowedRows({
    area,
    rows: entries.length,
    rowHeight: rowRem * area.rem,
    overscan: 12,
    focused,
  })

  const rows = virtualizer.getVirtualItems()
  const end = area.top + virtualizer.getTotalSize()

  return (
    <table className={classes.table} aria-label="Brands" aria-rowcount={entries.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <th
              key={column.sort}
              scope="col"
              aria-sort={column.sort !== sort ? 'none' : descending ? 'descending' : 'ascending'}
            >
              <button type="button" className={classes.sort} onClick={() => onSort(column.sort)}>
                {column.label}
                <SortSign sorted={column.sort === sort} descending={descending} />
              </button>
            </th>
          ))}
          <th scope="col" className={classes.action}>
            <span className={spoken.unseen}>Copy</span>
          </th>
        </tr>
      </thead>
      <tbody
        ref={body}
        onFocus={(event) => {
          const row = event.target.closest('tr')?.getAttribute('aria-rowindex')
          setFocused(Number(row ?? 1) - 2)
        }}
        onBlur={({ currentTarget, relatedTarget }) => {
          // On the way to a neighbour that neighbour must not go.
          if (!currentTarget.contains(relatedTarget)) setFocused(-1)
        }}
      >
        {rows.map(({ index, start }, at) => (
          <Fragment key={index}>
            <Space height={start - (rows[at - 1]?.end ?? area.top)} />
            <BrandRow
              entry={entries[index]}
              rowIndex={index + 2}
              copied={copied !== undefined && entries[index]?.filter.name === copied}
              onCopy={onCopy}
            />
          </Fragment>
        ))}
        <Space height={end - (rows.at(-1)?.end ?? area.top)} />
      </tbody>
    </table>
  )
}

type BrandRowProps = {
  entry: Entry | undefined
  rowIndex: number
  copied: boolean
  onCopy: (entry: Entry) => void
}

function BrandRow({ entry, rowIndex, copied, onCopy }: BrandRowProps) {
  if (entry === undefined) return null
  const { name, code } = entry.filter
  return (
    <tr aria-rowindex={rowIndex} className={classes.row}>
      <th scope="row" className={classes.name} title={name}>
        {name}
      </th>
      <td title={code}>
        <code className={classes.code}>{code}</code>
      </td>
      <td className={classes.action}>
        <button
          type="button"
          className={classes.copy}
          data-copied={copied || undefined}
          aria-label={`Copy the code of ${name}`}
          onClick={() => onCopy(entry)}
        >
          {copied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} stroke={1.75} aria-hidden />}
        </button>
      </td>
    </tr>
  )
}

function SortSign({ sorted, descending }: { sorted: boolean; descending: boolean }) {
  const Sign = sorted ? (descending ? IconArrowDown : IconArrowUp) : IconArrowsSort
  return <Sign size={16} stroke={1.75} aria-hidden data-idle={!sorted || undefined} />
}

function Space({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden className={classes.space} style={{ height }}>
      <td colSpan={columns.length + 1} />
    </tr>
  )
}
