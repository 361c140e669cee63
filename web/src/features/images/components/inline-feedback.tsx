import classes from './inline-feedback.module.css'

/** The line under something to copy, empty until there is something to say. */
export function InlineFeedback({
  text,
  isFailure,
}: {
  text: string | undefined
  isFailure: boolean | undefined
}) {
  return (
    <p className={classes.feedback} role="status" data-failed={isFailure || undefined}>
      {text}
    </p>
  )
}
