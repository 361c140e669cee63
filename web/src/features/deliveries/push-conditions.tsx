import { IconAlertTriangle } from '@tabler/icons-react'
import classes from './push-conditions.module.css'
import { pushProblem, readPushSupport } from './view/push.ts'

/** Why this device can't be pushed to, before somebody has tried in vain. */
export function PushConditions() {
  const problem = pushProblem(readPushSupport())
  if (problem === undefined) return null
  return (
    <p className={classes.problem}>
      <IconAlertTriangle size={18} aria-hidden />
      <span>{problem}</span>
    </p>
  )
}
