import { useFilters } from '../features/filters/live.ts'
import { LinksScreen } from '../features/links/links-screen.tsx'

/** The link generator with the filters it offers. */
export function LinkTools() {
  const { filters, note } = useFilters()
  return <LinksScreen filters={filters} note={note} />
}
