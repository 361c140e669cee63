import { TextInput } from '@mantine/core'
import classes from '../import-admin.module.css'

type AvailabilityFieldProps = {
  value: string
  /** Whether a column of the file fills availability. */
  hasColumn: boolean
  disabled: boolean
  onChange: (text: string) => void
}

/** What rows without availability get, and why that matters: a deal without it is stored but seen by nobody. */
export function AvailabilityField({ value, hasColumn, disabled, onChange }: AvailabilityFieldProps) {
  const reason = hasColumn
    ? 'Rows whose availability is empty stay hidden in the feed unless you enter a text for them here.'
    : 'This file says nothing about availability, and deals without it stay hidden in the feed. All its rows get this text; clear it to import them hidden.'
  return (
    <TextInput
      className={classes.availability}
      label="Availability of rows that state none"
      description={reason}
      inputWrapperOrder={['label', 'input', 'description']}
      placeholder="Stay hidden"
      maxLength={200}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
