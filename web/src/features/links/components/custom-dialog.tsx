import { normaliseFilterCode } from '@dealdeck/marketplace/filter-codes'
import type { NamedCode } from '@dealdeck/marketplace/filters'
import { Button, Group, TextInput } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import { useMarketplace } from '../../../platform/money.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { lengthProblem } from '../../../ui/length-problem.ts'
import classes from './links-dialog.module.css'

type CustomDialogProps = {
  /** Names that are taken. */
  names: readonly string[]
  onAdd: (filter: NamedCode) => void
  onClose: () => void
}

const longestCode = 2_000

/** Asks for the name and the code of a filter of one's own. */
export function CustomDialog({ names, onAdd, onClose }: CustomDialogProps) {
  const [name, setName] = useState('')
  const [code, setCode] = useState('')
  const [isTried, setTried] = useState(false)
  const becomesId = useId()
  const nameInput = useRef<HTMLInputElement>(null)
  const codeInput = useRef<HTMLInputElement>(null)
  const { number } = useMarketplace()
  const tooLong = lengthProblem(code, longestCode, number)
  const read = code.trim() === '' ? undefined : normaliseFilterCode(code)
  const codeProblem = read && 'problem' in read ? read.problem : undefined
  const normal = read && 'code' in read ? read.code : undefined
  const isTaken = names.some((taken) => taken.trim().toLowerCase() === name.trim().toLowerCase())
  const isBlank = name.trim() === '' || code.trim() === ''

  function add() {
    setTried(true)
    if (isBlank) return
    if (isTaken) return nameInput.current?.focus()
    if (tooLong || normal === undefined) return codeInput.current?.focus()
    onAdd({ name: name.trim().replace(/\s+/gu, ' '), code: normal })
    onClose()
  }

  return (
    <Dialog title="Add a custom filter" onClose={onClose}>
      <p className={classes.hint}>
        For what no list has. The code is what the shop’s own address says, such as <code>p_8:50-</code> or{' '}
        <code>s=price-asc-rank</code>; a whole address works too.
      </p>
      <form
        className={classes.fields}
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <TextInput
          ref={nameInput}
          label="Name"
          autoComplete="off"
          maxLength={120}
          value={name}
          error={isTried && isTaken && `There is already a custom filter named “${name.trim()}”.`}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          ref={codeInput}
          label="Code"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={code}
          error={tooLong ?? (isTried && codeProblem)}
          aria-describedby={becomesId}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <p id={becomesId} className={classes.becomes}>
          {normal !== undefined && normal !== code.trim() && (
            <>
              Becomes <code>{normal}</code>
            </>
          )}
        </p>
        <p role="alert" className={classes.problem}>
          {isTried && isBlank && 'Please enter both name and code'}
        </p>
        <Group className={classes.actions} justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Add filter</Button>
        </Group>
      </form>
    </Dialog>
  )
}
