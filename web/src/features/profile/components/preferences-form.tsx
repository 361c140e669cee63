import { Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useMarketplace } from '../../../platform/money.ts'
import { setPreferences, usePreferences } from '../../../platform/preferences.ts'
import { parseMaxPrice } from '../view.ts'
import { Panel } from './panel.tsx'
import classes from './preferences-form.module.css'
import { ThemeChoice } from './theme-choice.tsx'

const switchClasses = {
  root: classes.row,
  body: classes.body,
  label: classes.label,
  description: classes.description,
}

/** What somebody prefers on this device. Every choice takes effect at once. */
export function PreferencesForm() {
  const { currency, money } = useMarketplace()
  const { theme, notifications, autoRefresh, defaultMaxPrice, hidesContradicted } = usePreferences()
  /** What is being typed, which the price set in another tab doesn't replace, or what was refused. */
  const [typed, setTyped] = useState<string>()
  const isRefused = typed !== undefined && parseMaxPrice(typed) === null

  function takePrice(text: string) {
    setTyped(text)
    const price = parseMaxPrice(text)
    if (price !== null) setPreferences({ defaultMaxPrice: price })
  }

  return (
    <Panel title="Preferences" lead="Kept on this device. Every choice takes effect at once.">
      <div className={classes.rows}>
        <ThemeChoice value={theme} onChange={(choice) => setPreferences({ theme: choice })} />
        <Switch
          classNames={switchClasses}
          labelPosition="left"
          label="Notifications"
          description={
            autoRefresh
              ? 'A message in the feed when new deals arrive.'
              : 'Off as long as the feed does not refresh by itself.'
          }
          checked={notifications}
          onChange={(event) => setPreferences({ notifications: event.currentTarget.checked })}
        />
        <Switch
          classNames={switchClasses}
          labelPosition="left"
          label="Auto refresh"
          description="The feed follows what changes on the server. Without it, press refresh."
          checked={autoRefresh}
          onChange={(event) => setPreferences({ autoRefresh: event.currentTarget.checked })}
        />
        <Switch
          classNames={switchClasses}
          labelPosition="left"
          label="Hide contradicted discounts"
          description="Leaves out deals raised before their discount, and those whose list price nobody was asked in 90 days. The feed says how many."
          checked={hidesContradicted}
          onChange={(event) => setPreferences({ hidesContradicted: event.currentTarget.checked })}
        />
        <div className={classes.row}>
          <TextInput
            className={classes.price}
            label="Default max price"
            description="What the feed and the link generator start with, from 1 to 1,000."
            leftSection={currency}
            leftSectionWidth="3.25rem"
            size="md"
            inputMode="decimal"
            autoComplete="off"
            maxLength={10}
            value={typed ?? String(defaultMaxPrice)}
            error={
              isRefused && `Enter a price from 1 to 1000. Until then it stays ${money(defaultMaxPrice)}.`
            }
            onChange={(event) => takePrice(event.currentTarget.value)}
            onBlur={() => !isRefused && setTyped(undefined)}
          />
        </div>
      </div>
    </Panel>
  )
}
