import { Button, NativeSelect } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { SearchBox } from '../../../ui/search-box.tsx'
import type { UserFilters } from '../view.ts'
import classes from './user-tools.module.css'

type UserToolsProps = {
  filters: UserFilters
  onChange: (change: Partial<UserFilters>) => void
  onAdd: () => void
}

const searchPauseMs = 200

const roles = [
  { value: '', label: 'All roles' },
  { value: 'user', label: 'Users' },
  { value: 'admin', label: 'Administrators' },
]
const statuses = [
  { value: '', label: 'Any status' },
  { value: 'approved', label: 'Approved' },
  { value: 'pending', label: 'Pending' },
  { value: 'rejected', label: 'Rejected' },
]
const activities = [
  { value: '', label: 'Everyone' },
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
]

/** Search and filters of the list, and the way to a new user. */
export function UserTools({ filters, onChange, onAdd }: UserToolsProps) {
  return (
    <div className={classes.tools}>
      <div className={classes.search}>
        <SearchBox
          label="Search users"
          value={filters.search}
          pauseMs={searchPauseMs}
          onSearch={(search) => onChange({ search })}
        />
      </div>
      <div className={classes.filters}>
        <NativeSelect
          aria-label="Role"
          data={roles}
          value={filters.role ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ role: value === 'user' || value === 'admin' ? value : undefined })
          }
        />
        <NativeSelect
          aria-label="Status"
          data={statuses}
          value={filters.status ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({
              status: value === 'approved' || value === 'pending' || value === 'rejected' ? value : undefined,
            })
          }
        />
        <NativeSelect
          aria-label="Active"
          data={activities}
          value={filters.active === undefined ? '' : filters.active ? 'active' : 'inactive'}
          onChange={({ currentTarget: { value } }) =>
            onChange({ active: value === '' ? undefined : value === 'active' })
          }
        />
      </div>
      <Button className={classes.add} leftSection={<IconUserPlus size={18} aria-hidden />} onClick={onAdd}>
        Add user
      </Button>
    </div>
  )
}
