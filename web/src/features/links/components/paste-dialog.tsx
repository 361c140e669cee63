import { longestAddress } from '@dealdeck/marketplace/shop-addresses'
import { Button, Group, Textarea } from '@mantine/core'
import { useId, useState } from 'react'
import { useMarketplace } from '../../../platform/money.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { lengthProblem } from '../../../ui/length-problem.ts'
import classes from './links-dialog.module.css'

type PasteDialogProps = {
  marketplace: string
  /** False when the text is no address of a search in the shop. */
  onPaste: (address: string) => boolean
  onClose: () => void
}

/** Takes the address of a search, whose parts then fill the controls. */
export function PasteDialog({ marketplace, onPaste, onClose }: PasteDialogProps) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const hintId = useId()
  const { number } = useMarketplace()
  const tooLong = lengthProblem(text, longestAddress, number)

  function read(address: string) {
    if (tooLong) return
    if (address.trim() === '') return setProblem('Please paste an address')
    if (onPaste(address)) onClose()
    else setProblem(`This is no address of a search on ${marketplace}.`)
  }

  return (
    <Dialog title="Paste a link" onClose={onClose}>
      <p id={hintId} className={classes.hint}>
        Paste the address of any search on {marketplace}. Keyword, price and filters fill in by themselves.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          read(text)
        }}
      >
        <Textarea
          className={classes.address}
          label="Address of a search"
          aria-describedby={hintId}
          rows={4}
          autoComplete="off"
          spellCheck={false}
          placeholder={`https://www.${marketplace}/s?k=…`}
          error={tooLong ?? problem}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setProblem(undefined)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
            event.preventDefault()
            read(text)
          }}
        />
        <Group className={classes.actions} justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={tooLong !== undefined}>
            Fill in
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
