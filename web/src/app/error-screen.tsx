import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect } from 'react'
import classes from './message.module.css'
import { ScreenUnavailable } from './screen-component.ts'
import { UnavailableScreen } from './unavailable-screen.tsx'

type ErrorScreenProps = {
  error: unknown
  /** Draws the screen again. */
  reset?: () => void
}

/** What is shown instead of a screen that failed while it was drawn, or whose program can't be had. */
export function ErrorScreen({ error, reset }: ErrorScreenProps) {
  return error instanceof ScreenUnavailable && reset ? (
    <UnavailableScreen error={error} onLoaded={reset} />
  ) : (
    <BrokenScreen error={error} />
  )
}

function BrokenScreen({ error }: { error: unknown }) {
  useEffect(() => console.error(error), [error])
  return (
    <div className={classes.place}>
      <div className={classes.card} role="alert">
        <IconAlertTriangle size={28} stroke={1.75} className={classes.icon} aria-hidden />
        <h1 className={classes.title}>Something went wrong</h1>
        <p className={classes.text}>Please refresh the page to continue.</p>
        <Button className={classes.action} onClick={() => window.location.reload()}>
          Refresh Page
        </Button>
      </div>
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
