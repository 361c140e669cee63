import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { useId } from 'react'
import classes from './theme-switch.module.css'
import spoken from './unseen.module.css'

type ThemeChoice = 'system' | 'light' | 'dark'

const choices: { value: ThemeChoice; label: string; Icon: typeof IconSun }[] = [
  { value: 'system', label: 'System theme', Icon: IconDeviceDesktop },
  { value: 'light', label: 'Light theme', Icon: IconSun },
  { value: 'dark', label: 'Dark theme', Icon: IconMoon },
]

type ThemeSwitchProps = { value: ThemeChoice; onChange: (theme: ThemeChoice) => void }

/** System, light or dark, as three radio buttons drawn as one control. */
export function ThemeSwitch({ value: chosen, onChange }: ThemeSwitchProps) {
  const name = useId()
  return (
    <fieldset className={classes.switch}>
      <legend className={spoken.unseen}>Theme</legend>
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
