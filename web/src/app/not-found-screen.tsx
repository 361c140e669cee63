import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './message.module.css'
import { homePath } from './navigation.ts'

/** What stands at an address that is no screen's. */
export function NotFoundScreen() {
  return <NothingHere>There is no page at this address. Please check it, or go on from here.</NothingHere>
}

/** Says that there is nothing, and leads on. */
export function NothingHere({ children }: { children: ReactNode }) {
  return (
    <header>
      <h1 className={classes.title}>Nothing here</h1>
      <p className={classes.text}>{children}</p>
      <div className={classes.ways}>
        <Button component={Link} to="/amazon-haul">
          See the deals
        </Button>
        <Button component={Link} to={homePath} variant="default">
          Go to Home
        </Button>
      </div>
    </header>
  )
}
