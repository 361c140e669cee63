import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import { markPrice } from '../api.ts'
import type { PriceRun } from '../view/runs.ts'
import type { Formats } from '../view.ts'
import classes from './mark-dialog.module.css'

type MarkDialogProps = {
  dealId: number
  run: PriceRun
  shop: Formats
  onDone: () => void
  /** Called with what went wrong after the dialog was closed. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

/** Asks before a price is left out of everything that is said of a deal, or counts again. */
export function MarkDialog({
  dealId,
  run: { point },
  shop,
  onDone,
  onLateProblem,
  onClose,
}: MarkDialogProps) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isShown = useIsShown()
  const isTakenBack = point.is_wrong
  const amount = shop.money(point.price ?? 0)

  async function mark() {
    setBusy(true)
    setProblem(undefined)
    try {
      await markPrice(dealId, point, !isTakenBack)
      onDone()
    } catch (error) {
      setBusy(false)
      const why = errorMessage(error)
      if (isShown()) setProblem(why)
      else onLateProblem(`${amount} ${isTakenBack ? 'is still' : 'was not'} marked as wrong. ${why}`)
    }
  }

  return (
    <Dialog title={isTakenBack ? 'Count this price again?' : 'Mark this price as wrong?'} onClose={onClose}>
      <p className={classes.text}>
        {amount}, seen {shop.exactTime(point.seen_at)}.{' '}
        {isTakenBack
          ? 'It counts again in everything that is said of this deal.'
          : 'It stays in the table, and is left out of everything that is said of this deal. It can be taken back.'}
      </p>
      <p className={classes.problem} role="alert">
        {problem}
      </p>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" disabled={isBusy} onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void mark()}>
          {isTakenBack ? 'Take back' : 'Mark as wrong'}
        </Button>
      </Group>
    </Dialog>
  )
}
