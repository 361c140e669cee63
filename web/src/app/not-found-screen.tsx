import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import classes from './message.module.css'
import { homePath } from './navigation.ts'

/** What stands at an address that is no screen's. */
export function NotFoundScreen() {
  return (
    <header>
      <h1 className={classes.title}>Nothing here</h1>
      <p className={classes.text}>There is no page at this address. Please check it, or go on from here.</p>
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
