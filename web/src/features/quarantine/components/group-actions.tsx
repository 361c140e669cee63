import { Button, Checkbox } from '@mantine/core'
import { useState } from 'react'
import { type Decision, type Group, rowsText } from '../view.ts'
import classes from './group-actions.module.css'

type GroupActionsProps = {
  group: Group
  isBusy: boolean
  number: (value: number) => string
  /** `always`: for what comes from now on as well. */
  onDecide: (how: Decision, always: boolean) => void
}

/** Decides all that waits of one source and rule. */
export function GroupActions({ group, isBusy, number, onDecide }: GroupActionsProps) {
  const [always, setAlways] = useState<Decision>()
  const all = group.count === 1 ? 'this row' : `all ${rowsText(group.count, number)}`
  return (
    <div className={classes.actions}>
      <Button
        disabled={isBusy || always === 'refuse'}
        onClick={() => onDecide('release', always === 'release')}
      >
        Let {all} through
      </Button>
      <Button
        variant="default"
        disabled={isBusy || always === 'release'}
        onClick={() => onDecide('refuse', always === 'refuse')}
      >
        Refuse {all}
      </Button>
      <div className={classes.always}>
        {(['release', 'refuse'] as const).map((how) => (
          <Checkbox
            key={how}
            label={
              how === 'release'
                ? `Always trust ${group.source} for this rule`
                : `Always refuse such rows of ${group.source}`
            }
            checked={always === how}
            disabled={isBusy}
            onChange={(event) => setAlways(event.currentTarget.checked ? how : undefined)}
          />
        ))}
      </div>
    </div>
  )
}
