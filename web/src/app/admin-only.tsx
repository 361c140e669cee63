import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useSession } from '../platform/session.ts'
import classes from './message.module.css'

/** Shows its content to administrators and a refusal to everybody else. The server decides for itself; this only spares a dead end. */
export function AdminOnly({ children }: { children: ReactNode }) {
  const session = useSession()
  if (session.role === 'admin') return children
  return (
    <div className={classes.place}>
      <div className={classes.card}>
        <IconLock size={28} stroke={1.75} className={classes.icon} aria-hidden />
        <h1 className={classes.title}>Access Denied</h1>
        <p className={classes.text}>You need administrator privileges to access this feature.</p>
      </div>
    </div>
  )
}
