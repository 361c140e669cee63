import type { SavedSearch } from '@dealdeck/contract/searches'
import { AlertBell } from '../features/alerts/alert-bell.tsx'
import { useDestinations } from '../features/deliveries/live.ts'
import { ActionToast, useActionNote } from '../ui/action-toast.tsx'
import { useAddDestination } from './where-to-add.ts'

/** The bell of a saved search, wherever searches are. */
export function SearchBell({ search }: { search: SavedSearch }) {
  const { data } = useDestinations()
  const onAdd = useAddDestination()
  const { say, ...toast } = useActionNote()
  return (
    <>
      <AlertBell
        search={search}
        destinations={data?.items}
        onAdd={() => onAdd({ search: search.id })}
        say={say}
      />
      <ActionToast {...toast} />
    </>
  )
}
