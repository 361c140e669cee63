import { Paper, Text, Title } from '@mantine/core'
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
      <Paper className={classes.card} withBorder>
        <IconLock size={28} stroke={1.75} className={classes.icon} aria-hidden />
        <Title order={1}>Access Denied</Title>
        <Text c="dimmed">You need administrator privileges to access this feature.</Text>
      </Paper>
    </div>
  )
}
