import type { Alert, AlertChange } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import { useAlertChanges } from '../api.ts'
import { parseAmount, shownAmount } from '../view.ts'
import classes from './options-dialog.module.css'

type OptionsDialogProps = {
  alert: Alert
  destination: Destination | undefined
  onSaved: () => void
  /** Called with what went wrong after the dialog was closed. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

const modes = [
  { value: 'now', label: 'At once, a message each' },
  { value: 'daily', label: 'One list a day' },
  { value: 'weekly', label: 'One list a week' },
] as const

const percentOf = (text: string) => {
  const percent = Number(text.replace('%', '').trim())
  return Number.isInteger(percent) && percent >= 1 && percent <= 99 ? percent : undefined
}

/** When an alert tells of a deal again, what comes at once whatever the hour, and for e-mail whether it comes as a list. */
export function OptionsDialog({ alert, destination, onSaved, onLateProblem, onClose }: OptionsDialogProps) {
  const { change } = useAlertChanges()
  const { currency } = useMarketplace()
  const isShown = useIsShown()
  const { options, target_price } = alert
  const [mode, setMode] = useState(options.mode)
  const [typed, setTyped] = useState({
    again: String(options.again_percent),
    off: options.urgent_off === null ? '' : String(options.urgent_off),
    below: shownAmount(options.urgent_below),
    target: shownAmount(target_price),
  })
  const [problems, setProblems] = useState<Partial<Record<keyof typeof typed, string>>>({})

  function submit(event: FormEvent) {
    event.preventDefault()
    const again_percent = percentOf(typed.again)
    const urgent_off = typed.off.trim() === '' ? null : percentOf(typed.off)
    const urgent_below = parseAmount(typed.below)
    const target = parseAmount(typed.target)
    const found: typeof problems = {
      ...(again_percent === undefined && { again: 'A whole number from 1 to 99' }),
      ...(urgent_off === undefined && { off: 'A whole number from 1 to 99, or nothing' }),
      ...(urgent_below === undefined && { below: 'An amount such as 12.50, or nothing' }),
      ...(target_price !== null && !target && { target: 'An amount such as 12.50' }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const wanted: AlertChange = {
      options: {
        ...(again_percent !== undefined && { again_percent }),
        ...(urgent_off !== undefined && { urgent_off }),
        ...(urgent_below !== undefined && { urgent_below }),
        mode,
      },
      ...(target_price !== null && target && { target_price: target }),
    }
    change.mutateAsync({ id: alert.id, ...wanted }).then(onSaved, (error) => {
      if (isShown()) return
      onLateProblem(`The options of “${alert.name}” were not saved. ${errorMessage(error)}`)
    })
  }

  const input = (name: keyof typeof typed, label: string, description: string, unit: string) => (
    <TextInput
      name={name}
      label={label}
      description={description}
      inputMode="decimal"
      autoComplete="off"
      size="md"
      rightSection={unit}
      rightSectionWidth="3.5rem"
      rightSectionPointerEvents="none"
      value={typed[name]}
      error={problems[name]}
      onChange={({ currentTarget: { value } }) => {
        setTyped({ ...typed, [name]: value })
        setProblems({})
      }}
    />
  )
  return (
    <Dialog title={`Options of “${alert.name}”`} onClose={onClose}>
      <form className={classes.form} noValidate onSubmit={submit}>
        {target_price !== null && input('target', 'Tell me at', 'At this price or less.', currency)}
        {destination?.kind === 'email' && (
          <NativeSelect
            label="How it comes"
            size="md"
            value={mode}
            data={[...modes]}
            onChange={({ currentTarget: { value } }) =>
              setMode(modes.find((known) => known.value === value)?.value ?? 'now')
            }
          />
        )}
        {input('again', 'Again after a further fall of', 'Of a deal you were already told of.', '%')}
        <fieldset className={classes.group}>
          <legend className={classes.legend}>Urgent: comes at once, whatever the hour</legend>
          <div className={classes.pair}>
            {input('off', 'From a discount of', 'Empty: never.', '%')}
            {input('below', 'Below a price of', 'Empty: never.', currency)}
          </div>
        </fieldset>
        <p role="alert" className={classes.problem}>
          {change.isError && errorMessage(change.error)}
        </p>
        <Group justify="flex-end" gap="xs" className={classes.actions}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
