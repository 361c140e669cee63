import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { type Decision, type Group, rowsText } from '../view.ts'
import classes from './group-actions.module.css'

type GroupActionsProps = {
  group: Group
  isBusy: boolean
  number: (value: number) => string
  onDecide: (how: Decision, trusts: boolean) => void
}

/** Decides all that waits of one source and rule. */
export function GroupActions({ group, isBusy, number, onDecide }: GroupActionsProps) {
  const [trusts, setTrusts] = useState(false)
  const all = group.count === 1 ? 'this row' : `all ${rowsText(group.count, number)}`
  return (
    <div className={classes.actions}>
      <Button disabled={isBusy} onClick={() => onDecide('release', trusts)}>
        Let {all} through
      </Button>
      <Button variant="default" disabled={isBusy || trusts} onClick={() => onDecide('refuse', false)}>
        Refuse {all}
      </Button>
      <Checkbox
        label={`Always trust ${group.source} for this rule`}
        checked={trusts}
        disabled={isBusy}
        onChange={(event) => setTrusts(event.currentTarget.checked)}
      />
    </div>
  )
}
