import classes from './said.module.css'

/** The line under something to copy, empty until there is something to say. */
export function Said({ text, isFailure }: { text: string | undefined; isFailure: boolean | undefined }) {
  return (
    <p className={classes.said} role="status" data-failed={isFailure || undefined}>
      {text}
    </p>
  )
}
