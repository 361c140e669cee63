import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { IconSwitch } from './icon-switch.tsx'

type ThemeChoice = 'system' | 'light' | 'dark'

const choices: { value: ThemeChoice; label: string; Icon: typeof IconSun }[] = [
  { value: 'system', label: 'System theme', Icon: IconDeviceDesktop },
  { value: 'light', label: 'Light theme', Icon: IconSun },
  { value: 'dark', label: 'Dark theme', Icon: IconMoon },
]

type ThemeSwitchProps = { value: ThemeChoice; onChange: (theme: ThemeChoice) => void }

/** System, light or dark. */
export function ThemeSwitch(props: ThemeSwitchProps) {
  return <IconSwitch label="Theme" choices={choices} {...props} />
}
