import { AdminScreen } from '../features/admin/admin-screen.tsx'
import { AuditScreen } from '../features/audit/audit-screen.tsx'
import { BlacklistAdmin } from '../features/blacklist/blacklist-admin.tsx'
import { FilterAdmin } from '../features/filters/filter-admin.tsx'
import { IngestAdmin } from '../features/ingest/ingest-admin.tsx'
import { UsersAdmin } from '../features/users/users-admin.tsx'

/** The dashboard with what each of its tabs looks after. */
export function AdminDashboard() {
  return (
    <AdminScreen
      panels={{
        filters: <FilterAdmin />,
        words: <BlacklistAdmin />,
        users: <UsersAdmin />,
        ingest: <IngestAdmin />,
        audit: <AuditScreen />,
      }}
    />
  )
}
