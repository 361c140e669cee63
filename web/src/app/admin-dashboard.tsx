import { AdminScreen } from '../features/admin/admin-screen.tsx'
import { AuditScreen } from '../features/audit/audit-screen.tsx'
import { BlacklistAdmin } from '../features/blacklist/blacklist-admin.tsx'
import { FilterAdmin } from '../features/filters/filter-admin.tsx'
import { ImportAdmin } from '../features/ingest/import-admin.tsx'
import { ImportRejects } from '../features/ingest/import-rejects.tsx'
import { PreviewRows } from '../features/ingest/preview-rows.tsx'
import { QuarantineAdmin } from '../features/quarantine/quarantine-admin.tsx'
import { SourceNote } from '../features/sources/source-note.tsx'
import { SourcesAdmin } from '../features/sources/sources-admin.tsx'
import { UsersAdmin } from '../features/users/users-admin.tsx'
import { AdminOnly } from './admin-only.tsx'
import { Channels } from './channels.tsx'

/** The dashboard with what each of its tabs looks after. */
export function AdminDashboard() {
  return (
    <AdminOnly>
      <AdminScreen
        panels={{
          filters: <FilterAdmin />,
          words: <BlacklistAdmin />,
          users: <UsersAdmin />,
          import: <ImportAdmin />,
          sources: (
            <SourcesAdmin
              preview={(preview) => <PreviewRows preview={preview} empty="It has no rows now." />}
              rejects={(id, name) => <ImportRejects id={id} name={name} />}
            />
          ),
          quarantine: <QuarantineAdmin />,
          channels: <Channels />,
          audit: <AuditScreen />,
        }}
        signs={{ quarantine: <SourceNote as="count" /> }}
      />
    </AdminOnly>
  )
}
