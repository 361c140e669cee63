import type { KindDescription } from '@dealdeck/contract/sources'
import { IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import classes from './kind-choice.module.css'

/** The kinds of sources to begin with. Each leads to its form. */
export function KindChoice({ kinds }: { kinds: readonly KindDescription[] }) {
  return (
    <ul className={classes.kinds} aria-label="Kinds of sources">
      {kinds.map(({ kind, label, help }) => (
        <li key={kind}>
          <Link
            to="/admin-dashboard"
            search={{ tab: 'sources', source: `new-${kind}` }}
            resetScroll={false}
            className={classes.kind}
          >
            <span className={classes.label}>{label}</span>
            <IconChevronRight size={18} className={classes.arrow} aria-hidden />
            <span className={classes.help}>{help}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
