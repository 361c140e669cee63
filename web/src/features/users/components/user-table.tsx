import type { UserRecord } from '@dealdeck/contract/users'
import { Fragment, type ReactNode, useRef } from 'react'
import { type Listed, useUserWindow } from './user-list.tsx'
import classes from './user-table.module.css'

/** Where a row stands, for its own element. */
export type RowPlace = {
  'data-index': number
  'aria-rowindex': number
  ref: (element: HTMLElement | null) => void
}

type UserTableProps = Listed & { row: (user: UserRecord, place: RowPlace) => ReactNode }

const columns = ['Name', 'Role', 'State', 'Last seen', 'Sessions', 'Created', 'Active', 'Actions']

/** A line for each user, for a desk. Only the rows near the screen exist; two empty ones hold the place of the others. */
export function UserTable({ row, total, ...listed }: UserTableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const { top, items, measure, size, whileFocused } = useUserWindow(body, listed, { heightRem: 3.25, gap: 0 })
  return (
    <table className={classes.table} aria-label="Users" aria-rowcount={total + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} {...whileFocused}>
        {items.map(({ index, key, start }, at) => {
          const user = listed.users[index]
          return (
            <Fragment key={key}>
              <Space height={start - (items[at - 1]?.end ?? top)} />
              {user && row(user, { 'data-index': index, 'aria-rowindex': index + 2, ref: measure })}
            </Fragment>
          )
        })}
        <Space height={top + size - (items.at(-1)?.end ?? top)} />
      </tbody>
    </table>
  )
}

function Space({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden className={classes.space} style={{ height }}>
      <td colSpan={columns.length} />
    </tr>
  )
}
