import { Button, Switch } from '@mantine/core'
import { useMarketplace } from '../../../platform/money.ts'
import type { ImportRun } from '../api.ts'
import classes from '../import-admin.module.css'
import card from './card.module.css'

type ImportActionsProps = {
  run: ImportRun
  /** The fields that every row needs and no column fills. */
  missing: readonly string[]
}

/** Tries or imports the file; what comes of it stands above the file. */
export function ImportActions({ run, missing }: ImportActionsProps) {
  const { number } = useMarketplace()
  const { hideMissing, keepsHistory, leftOut } = run
  const running = run.progress !== null
  const isOff = running || missing.length > 0
  return (
    <section className={`${card.card} ${classes.section}`} aria-label="Import">
      {missing.length > 0 && (
        <p role="status" className={classes.failure}>
          Every row needs {missing.join(', ')}. Please choose the columns above.
        </p>
      )}
      <Switch
        label="This file lists everything"
        description="Deals that are not in it are hidden, until they are listed again."
        checked={hideMissing}
        disabled={running}
        onChange={(event) => run.setHideMissing(event.currentTarget.checked)}
      />
      <Switch
        label="Keep no price history"
        description="Its prices are shown, and not kept as what was seen: for a source that doesn’t allow that."
        checked={!keepsHistory}
        disabled={running}
        onChange={(event) => run.setKeepsHistory(!event.currentTarget.checked)}
      />
      <div className={classes.actions}>
        <Button
          onClick={() => run.start(false)}
          disabled={isOff || (hideMissing && !leftOut)}
          color={leftOut?.needs_confirmation ? 'red' : undefined}
        >
          {leftOut && leftOut.hidden > 0
            ? `Import and hide ${number(leftOut.hidden)} ${leftOut.hidden === 1 ? 'deal' : 'deals'}`
            : 'Import'}
        </Button>
        <Button variant="default" onClick={() => run.start(true)} disabled={isOff}>
          Dry run
        </Button>
      </div>
      <p className={classes.hint}>
        {hideMissing && !leftOut
          ? 'Please try a dry run first: it shows which deals would be hidden.'
          : 'A dry run checks every row and stores nothing.'}
      </p>
    </section>
  )
}
