import { IconAlertTriangle, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { deviceKeys } from '../../platform/device-keys.ts'
import { useMarketplace } from '../../platform/money.ts'
import { readStored, writeStored } from '../../platform/storage.ts'
import icon from '../../ui/icon-button.module.css'
import spoken from '../../ui/unseen.module.css'
import { useAlarms } from './live.ts'
import classes from './source-note.module.css'
import { alarmOf, readPutOff } from './view/alarms.ts'

/** What every screen of an administrator says of sources: a `line` over the content, or the `count` of held rows. */
export function SourceNote({ as }: { as: 'line' | 'count' }) {
  const { number } = useMarketplace()
  const { data } = useAlarms()
  const [putOff, setPutOff] = useState(() => readPutOff(readStored(deviceKeys.alarms), new Date()))
  if (data === undefined) return null
  if (as === 'count')
    return data.held === 0 ? null : (
      <>
        {' '}
        <span className={classes.count}>
          {data.held > 999 ? '999+' : number(data.held)}
          <span className={spoken.unseen}>{data.held === 1 ? ' row waits' : ' rows wait'} in quarantine</span>
        </span>
      </>
    )
  const alarm = alarmOf(data.silent, putOff)
  if (alarm === undefined) return null
  return (
    <aside className={classes.line} aria-label="Sources that need you">
      <IconAlertTriangle size={18} aria-hidden className={classes.sign} />
      <p className={classes.text}>
        <Link to="/admin-dashboard" search={{ tab: 'sources', ...alarm.search }} className={classes.link}>
          {alarm.name}
        </Link>{' '}
        {alarm.text}
      </p>
      <button
        type="button"
        className={`${icon.button} ${classes.close}`}
        aria-label="Hide this until tomorrow"
        title="Hide this until tomorrow"
        onClick={() => {
          const ids = data.silent.map(({ id }) => id)
          writeStored(deviceKeys.alarms, { day: new Date().toDateString(), ids })
          setPutOff(ids)
        }}
      >
        <IconX size={18} aria-hidden />
      </button>
    </aside>
  )
}
