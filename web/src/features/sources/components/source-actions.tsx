import type { Source } from '@dealdeck/contract/sources'
import { Button } from '@mantine/core'
import {
  IconPencil,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerTrackNext,
  IconTrash,
} from '@tabler/icons-react'
import classes from './source-actions.module.css'

export type SourceActionsProps = {
  source: Source
  /** The server is being asked for a change of this source. */
  isBusy: boolean
  onRun: () => void
  onPause: (isPaused: boolean) => void
  onEdit: () => void
  onRemove: () => void
  /** Whether each has its word on a desk too. */
  hasWords?: boolean
}

/** All that can be done with a source. */
export function SourceActions(props: SourceActionsProps) {
  const { source, isBusy, onRun, onPause, onEdit, onRemove, hasWords = false } = props
  const { name, is_paused, state } = source
  const pause = is_paused
    ? { label: 'Resume', Icon: IconPlayerPlayFilled }
    : { label: 'Pause', Icon: IconPlayerPauseFilled }
  const actions = [
    { label: 'Run now', Icon: IconPlayerTrackNext, onClick: onRun, isOff: is_paused || state === 'running' },
    { ...pause, onClick: () => onPause(!is_paused) },
    { label: 'Edit', Icon: IconPencil, onClick: onEdit },
    { label: 'Remove', Icon: IconTrash, onClick: onRemove, isDanger: true },
  ]
  return (
    <div className={classes.actions} data-words={hasWords || undefined} aria-busy={isBusy}>
      {actions.map(({ label, Icon, onClick, isOff = false, isDanger = false }) => (
        <Button
          // What a press changes keeps its place, and the focus.
          key={label === 'Resume' ? 'Pause' : label}
          variant="default"
          size="compact-sm"
          className={classes.action}
          data-danger={isDanger || undefined}
          data-first={label === 'Run now' || undefined}
          aria-label={`${label}: ${name}`}
          aria-disabled={isOff || isBusy}
          title={label}
          leftSection={<Icon size={16} stroke={1.75} aria-hidden />}
          onClick={() => {
            if (!isOff && !isBusy) onClick()
          }}
        >
          <span className={classes.word}>{label}</span>
        </Button>
      ))}
    </div>
  )
}
