import { Loader } from '@mantine/core'
import classes from './loading-screen.module.css'

/** Stands alone while the stored session is confirmed. */
export function LoadingScreen() {
  return (
    <main className={classes.place} aria-busy="true">
      <Loader size="sm" aria-hidden />
      <div role="status">
        <h1 className={classes.text}>Loading...</h1>
      </div>
    </main>
  )
}
