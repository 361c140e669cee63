import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useFilters } from '../features/filters/live.ts'
import { LinksScreen } from '../features/links/links-screen.tsx'
import { isEmpty, lastSetup } from '../features/links/view/last-setup.ts'

const route = getRouteApi('/tools')

/** The link generator with the filters it offers. Who comes back from another screen goes on where they were. */
export function LinkTools() {
  const { filters, note } = useFilters()
  const isBlank = isEmpty(route.useSearch())
  const [last, setLast] = useState(() => (isBlank ? lastSetup() : undefined))
  if (last && isBlank) return <Navigate to="/tools" search={last} replace />
  if (last) setLast(undefined)
  return <LinksScreen filters={filters} note={note} />
}
