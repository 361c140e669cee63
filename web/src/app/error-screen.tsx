import { Button, Paper, Text, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect } from 'react'
import classes from './message.module.css'

/** What stands in place of a screen that failed while it was drawn. */
export function ErrorScreen({ error }: { error: unknown }) {
  useEffect(() => console.error(error), [error])
  return (
    <div className={classes.place}>
      <Paper className={classes.card} withBorder role="alert">
        <IconAlertTriangle size={28} stroke={1.75} className={classes.icon} aria-hidden />
        <Title order={1}>Something went wrong</Title>
        <Text c="dimmed">Please refresh the page to continue.</Text>
        <Button className={classes.action} onClick={() => window.location.reload()}>
          Refresh Page
        </Button>
      </Paper>
    </div>
  )
}

/** The same when there is no shell around it any more. */
export function BareErrorScreen(props: { error: unknown }) {
  return (
    <main>
      <ErrorScreen {...props} />
    </main>
  )
}
