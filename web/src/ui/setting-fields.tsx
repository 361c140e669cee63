import type { SettingField } from '@dealdeck/contract/setting-fields'
import { useState } from 'react'
import classes from './setting-fields.module.css'
import { SettingInput } from './setting-input.tsx'
import { StoredSecret } from './stored-secret.tsx'
import type { Problems, TypedSettings } from './typed-settings.ts'

type SettingFieldsProps = {
  fields: readonly SettingField[]
  typed: TypedSettings
  /** Names of the secrets that the server has. */
  stored: readonly string[]
  problems: Problems
  /** Whether the first field takes the focus. */
  focusesFirst: boolean
  /** `field`: what was typed into, as problems name it. */
  set: (part: Partial<TypedSettings>, field: string) => void
}

/** The fields of a form as a description has them; what most leave alone is folded away. */
export function SettingFields({ fields, typed, stored, problems, focusesFirst, set }: SettingFieldsProps) {
  const [isOpen, setOpen] = useState(false)
  const advanced = fields.filter((field) => field.is_advanced)
  const isAdvancedWrong = advanced.some(({ name }) => problems[`settings.${name}`] !== undefined)
  const first = fields.find((field) => !field.is_advanced)
  const input = (field: SettingField) =>
    field.type === 'secret' ? (
      <StoredSecret
        key={field.name}
        field={field}
        isStored={stored.includes(field.name)}
        value={typed.secrets[field.name]}
        problem={problems[`settings.${field.name}`]}
        onChange={(value) => {
          const { [field.name]: _, ...others } = typed.secrets
          const secrets = value === undefined ? others : { ...others, [field.name]: value }
          set({ secrets }, `settings.${field.name}`)
        }}
      />
    ) : (
      <SettingInput
        key={field.name}
        field={field}
        value={typed.settings[field.name]}
        problem={problems[`settings.${field.name}`]}
        isFirst={focusesFirst && field === first}
        onChange={(value) =>
          set({ settings: { ...typed.settings, [field.name]: value } }, `settings.${field.name}`)
        }
      />
    )
  return (
    <>
      {fields.filter((field) => !field.is_advanced).map(input)}
      {advanced.length > 0 && (
        <details
          className={classes.more}
          open={isOpen || isAdvancedWrong}
          onToggle={(event) => setOpen(event.currentTarget.open)}
        >
          <summary>More settings of this kind</summary>
          <div className={classes.fields}>{advanced.map(input)}</div>
        </details>
      )}
    </>
  )
}
