import type { AdminStats } from '@dealdeck/contract/admin'
import { Link } from '@tanstack/react-router'
import type { AdminTab } from '../view.ts'
import classes from './quick-stats.module.css'

type QuickStatsProps = {
  /** Undefined until they are counted. */
  stats: AdminStats | undefined
  failed: boolean
  number: (value: number) => string
}

type Card = { label: string; figure: keyof AdminStats; tab?: AdminTab }

const cards: Card[] = [
  { label: 'Filters', figure: 'filters', tab: 'filters' },
  { label: 'Blacklisted words', figure: 'words', tab: 'words' },
  { label: 'Users', figure: 'users', tab: 'users' },
  { label: 'Deals', figure: 'deals' },
]

/** Four figures as counted now; each leads to what it counts. */
export function QuickStats({ stats, failed, number }: QuickStatsProps) {
  const note = (figure: keyof AdminStats) => {
    const waiting = stats?.pending_users ?? 0
    return figure === 'users' && waiting > 0 ? `${number(waiting)} waiting for approval` : undefined
  }
  return (
    <ul className={classes.cards} aria-label="Quick stats" aria-busy={stats === undefined && !failed}>
      {cards.map(({ label, figure, tab }) => (
        <li key={figure}>
          <Link
            className={classes.card}
            {...(tab
              ? { to: '/admin-dashboard' as const, search: { tab }, resetScroll: false }
              : { to: '/amazon-haul' as const })}
          >
            <span className={classes.figure}>{stats ? number(stats[figure]) : '–'}</span>
            <span className={classes.label}>{label}</span>
            {note(figure) && <span className={classes.note}>{note(figure)}</span>}
          </Link>
        </li>
      ))}
    </ul>
  )
}
