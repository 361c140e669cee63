import type { Uptime } from '@dealdeck/contract/home'

/** What the screen's live stream is doing; 'paused' when automatic refresh is switched off in the preferences. */
export type StreamState = 'connecting' | 'open' | 'down' | 'away' | 'paused'

/** The stream in a word, and what follows from it. */
export const streamWords: Record<StreamState, { label: string; hint: string }> = {
  connecting: { label: 'Connecting', hint: 'to the live stream' },
  open: { label: 'Connected', hint: 'new deals within seconds' },
  down: { label: 'Reconnecting', hint: 'a look every 30 seconds' },
  away: { label: 'Interrupted', hint: 'the database is away' },
  paused: { label: 'Paused', hint: 'in your preferences' },
}

const hour = 60
const day = 24 * hour

/** How long the uptime was measured: 'of the last 3 days'. Whole units, rounded down; minutes as in `Uptime`. */
export function periodWords({ minutes }: Pick<Uptime, 'minutes'>): string {
  const [unit, length] = minutes < hour ? ['minute', 1] : minutes < 2 * day ? ['hour', hour] : ['day', day]
  const count = Math.floor(minutes / length)
  return count === 1 ? `of the last ${unit}` : `of the last ${count} ${unit}s`
}

type Target =
  | { to: '/tools' | '/filters' | '/image-tools' | '/admin-dashboard' }
  /** Another site. */
  | { href: string }

export type HomeCard = { id: string; title: string; text: string; label?: string; target: Target }

/** The links from Home, in the order of the screen. Without an invitation there is no chat to go to. */
export function homeCards(isAdmin: boolean, communityUrl: string | null): HomeCard[] {
  const chat: HomeCard[] = communityUrl
    ? [
        {
          id: 'chat',
          title: 'Community chat',
          text: 'Talk about finds with the others. Opens another site.',
          target: { href: communityUrl },
        },
      ]
    : []
  const management: HomeCard[] = isAdmin
    ? [
        {
          id: 'management',
          title: 'Filter management',
          text: 'Add, change and remove what everybody filters by.',
          label: 'admin',
          target: { to: '/admin-dashboard' },
        },
      ]
    : []
  return [
    {
      id: 'links',
      title: 'Link generator',
      text: 'Build a search link from a keyword, prices and filters.',
      target: { to: '/tools' },
    },
    {
      id: 'filters',
      title: 'Filter database',
      text: 'Look up the code of a brand, department or discount.',
      target: { to: '/filters' },
    },
    ...chat,
    {
      id: 'images',
      title: 'Image tools',
      text: 'Get the link of a product’s picture from its ASIN.',
      label: 'beta',
      target: { to: '/image-tools' },
    },
    ...management,
  ]
}
