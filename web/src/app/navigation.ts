import type { PlacePath } from '@dealdeck/contract/places'
import type { Session } from '@dealdeck/contract/session'

/** A place of the product: its id, the word for it and its path. */
export type Place = {
  /** Stable; `/?tab=<id>` leads here. */
  id: string
  label: string
  path: PlacePath
  adminOnly?: true
  /** Whether what is set up there stays when its name is pressed once more. */
  keepsSearch?: true
}

export const places: readonly Place[] = [
  { id: 'home', label: 'Home', path: '/' },
  { id: 'amazon-haul-deals', label: 'Deals', path: '/amazon-haul' },
  { id: 'saved-searches', label: 'Searches', path: '/searches' },
  { id: 'alerts', label: 'Alerts', path: '/alerts' },
  { id: 'link-generator', label: 'Link Generator', path: '/tools', keepsSearch: true },
  { id: 'filters', label: 'Filters', path: '/filters' },
  { id: 'image-tools', label: 'Image Tools', path: '/image-tools' },
  { id: 'admin-dashboard', label: 'Admin', path: '/admin-dashboard', adminOnly: true },
  { id: 'profile', label: 'Profile', path: '/profile' },
]

export const homePath = '/'

/** Ids of what has become a tab of another place. */
const movedIds = new Map<unknown, PlacePath>([
  ['brands', '/brands'],
  ['import-deals', '/import'],
])

/** The places that somebody may go to, in the order of the navigation. */
export function placesFor(session: Session): Place[] {
  return places.filter((place) => !place.adminOnly || session.role === 'admin')
}

/** The path of a navigation id; an unknown id leads home. */
export function pathOfTab(tab: unknown): PlacePath {
  return places.find((place) => place.id === tab)?.path ?? movedIds.get(tab) ?? homePath
}
