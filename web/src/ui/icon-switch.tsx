import type { IconSun } from '@tabler/icons-react'
import { useId } from 'react'
import classes from './icon-switch.module.css'
import spoken from './unseen.module.css'

type IconSwitchProps<Value extends string> = {
  /** Names the control for screen readers. */
  label: string
  choices: readonly { value: Value; label: string; Icon: typeof IconSun }[]
  value: Value
  onChange: (value: Value) => void
}

/** A choice between a few things that have pictures: radio buttons drawn as one control. */
export function IconSwitch<Value extends string>({
  label,
  choices,
  value: chosen,
  onChange,
}: IconSwitchProps<Value>) {
  const name = useId()
  return (
    <fieldset className={classes.switch}>
      <legend className={spoken.unseen}>{label}</legend>
      {choices.map(({ value, label, Icon }) => (
        <label key={value} className={classes.choice} title={label}>
          <input
            type="radio"
            name={name}
            value={value}
            aria-label={label}
            checked={chosen === value}
            onChange={() => onChange(value)}
            className={classes.input}
          />
          <Icon size={16} stroke={1.75} aria-hidden />
        </label>
      ))}
    </fieldset>
  )
}
