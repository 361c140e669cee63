import type { SettingField } from '@dealdeck/contract/setting-fields'
import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { SecretInput } from './secret-input.tsx'
import classes from './stored-secret.module.css'

type StoredSecretProps = {
  field: SettingField
  /** Whether the server has one. */
  isStored: boolean
  /** What was typed; undefined: it stays as it is. '' removes a stored one. */
  value: string | undefined
  problem: string | undefined
  onChange: (value: string | undefined) => void
}

/** A secret, which goes in and never out: what is stored is kept, replaced or removed, and never shown. */
export function StoredSecret({ field, isStored, value, problem, onChange }: StoredSecretProps) {
  const group = useRef<HTMLFieldSetElement>(null)
  const [isReplaced, setReplaced] = useState(false)
  const { name, label, help } = field
  // The button that was pressed has gone; what has come in its place is next.
  const change = (next: string | undefined, isTyped = false) => {
    onChange(next)
    setReplaced(isTyped)
    requestAnimationFrame(() => group.current?.querySelector<HTMLElement>('input, button')?.focus())
  }
  if (isStored && !isReplaced && !value)
    return (
      <fieldset ref={group} className={classes.stored}>
        <legend className={classes.label}>{label}</legend>
        {help && <p className={classes.help}>{help}</p>}
        <div className={classes.line}>
          <span className={classes.state}>{value === '' ? 'Will be removed when you save' : 'Is set'}</span>
          {value === '' ? (
            <Button variant="default" onClick={() => change(undefined)}>
              Keep it
            </Button>
          ) : (
            <>
              <Button
                variant="default"
                aria-label={`Replace ${label}`}
                onClick={() => change(undefined, true)}
              >
                Replace
              </Button>
              <Button variant="default" aria-label={`Remove ${label}`} onClick={() => change('')}>
                Remove
              </Button>
            </>
          )}
        </div>
        {problem && (
          <p className={classes.problem} role="alert">
            {problem}
          </p>
        )}
      </fieldset>
    )
  return (
    <fieldset ref={group} className={classes.plain}>
      <SecretInput
        what={label}
        name={`settings.${name}`}
        label={label}
        description={help}
        required={field.is_required}
        withAsterisk={false}
        error={problem}
        autoComplete="new-password"
        spellCheck={false}
        maxLength={4_000}
        value={value ?? ''}
        // What is empty replaces nothing.
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      />
      {isStored && (
        <Button variant="default" className={classes.back} onClick={() => change(undefined)}>
          Keep the stored one
        </Button>
      )}
    </fieldset>
  )
}
