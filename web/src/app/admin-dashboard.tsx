import { AdminScreen } from '../features/admin/admin-screen.tsx'
import { AuditScreen } from '../features/audit/audit-screen.tsx'
import { BlacklistAdmin } from '../features/blacklist/blacklist-admin.tsx'
import { FilterAdmin } from '../features/filters/filter-admin.tsx'
import { ImportAdmin } from '../features/ingest/import-admin.tsx'
import { UsersAdmin } from '../features/users/users-admin.tsx'

/** The dashboard with what each of its tabs looks after. */
export function AdminDashboard() {
  return (
    <AdminScreen
      panels={{
        filters: <FilterAdmin />,
        words: <BlacklistAdmin />,
        users: <UsersAdmin />,
        import: <ImportAdmin />,
        audit: <AuditScreen />,
      }}
    />
  )
}
