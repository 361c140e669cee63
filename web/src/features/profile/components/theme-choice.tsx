import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { useId } from 'react'
import type { ThemeChoice as Choice } from '../../../platform/preferences.ts'
import classes from './theme-choice.module.css'

const choices: { value: Choice; label: string; Icon: typeof IconSun }[] = [
  { value: 'system', label: 'System', Icon: IconDeviceDesktop },
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
]

/** The theme, as three radio buttons with their names. */
export function ThemeChoice({
  value: chosen,
  onChange,
}: {
  value: Choice
  onChange: (choice: Choice) => void
}) {
  const name = useId()
  return (
    <fieldset className={classes.choice}>
      <legend className={classes.legend}>Theme</legend>
      {choices.map(({ value, label, Icon }) => (
        <label key={value} className={classes.option}>
          <input
            type="radio"
            className={classes.input}
            name={name}
            value={value}
            checked={chosen === value}
            onChange={() => onChange(value)}
          />
          <Icon size={18} stroke={1.75} aria-hidden />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
