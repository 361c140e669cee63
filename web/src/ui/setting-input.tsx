import type { SettingField } from '@dealdeck/contract/setting-fields'
import { NativeSelect, Switch, Textarea, TextInput } from '@mantine/core'

type SettingInputProps = {
  field: SettingField
  value: string | boolean | undefined
  problem: string | undefined
  isFirst: boolean
  onChange: (value: string | boolean) => void
}

/** One field of a kind's form, as the kind describes it. Secrets have a field of their own. */
export function SettingInput({ field, value, problem, isFirst, onChange }: SettingInputProps) {
  const { name, label, help, type, unit, least, most } = field
  const common = { name: `settings.${name}`, label, description: help, error: problem, size: 'md' as const }
  if (type === 'switch')
    return (
      <Switch
        {...common}
        size="sm"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  const text = typeof value === 'string' ? value : ''
  const typed = {
    ...common,
    required: field.is_required,
    withAsterisk: false,
    value: text,
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  if (type === 'choice')
    return (
      <NativeSelect
        {...typed}
        data={[
          ...(field.choices.some((choice) => choice.value === text) ? [] : [{ value: text, label: '—' }]),
          ...field.choices,
        ]}
      />
    )
  if (type === 'list')
    return (
      <Textarea
        {...typed}
        description={[help, 'One on each line.'].filter(Boolean).join(' ')}
        autosize
        minRows={2}
        maxRows={8}
      />
    )
  if (type === 'number')
    return (
      <TextInput
        {...typed}
        inputMode="decimal"
        description={[help, boundsText(least, most, unit)].filter(Boolean).join(' ') || undefined}
        rightSection={unit}
        rightSectionWidth={unit === null ? undefined : `${unit.length * 0.6 + 1.5}rem`}
        rightSectionPointerEvents="none"
      />
    )
  return (
    <TextInput
      {...typed}
      {...(type === 'url' && { inputMode: 'url' as const, placeholder: 'https://' })}
      // What nearly all know when they come here.
      autoFocus={isFirst}
    />
  )
}

function boundsText(least: number | null, most: number | null, unit: string | null): string {
  const bounds = [least, most].map((bound) => bound?.toLocaleString('en-US'))
  const text = bounds.filter((bound) => bound !== undefined).join(' to ')
  if (text === '') return ''
  const range = least === null ? `At most ${text}` : most === null ? `At least ${text}` : `From ${text}`
  return `${range}${unit === null ? '' : ` ${unit}`}.`
}
