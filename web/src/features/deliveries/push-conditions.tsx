import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { readPushState } from '../../platform/push.ts'
import classes from './push-conditions.module.css'
import { pushProblems } from './view/push.ts'

/** Why this device can't be pushed to, before somebody has tried in vain. */
export function PushConditions() {
  const { data } = useQuery({ queryKey: ['push-state'], queryFn: readPushState, staleTime: 0 })
  const problem = data && pushProblems[data]
  if (problem === undefined) return null
  return (
    <p className={classes.problem} role="status">
      <IconAlertTriangle size={18} aria-hidden />
      <span>{problem}</span>
    </p>
  )
}
