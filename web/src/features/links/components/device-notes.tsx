import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { readDeviceEntries } from '../../../platform/device-entries.ts'
import { useDeviceStore } from '../../../platform/device-store.ts'
import { useSession } from '../../../platform/session.ts'
import { takeAlong, takenNote } from '../api.ts'
import { countWords } from '../view/kept.ts'
import classes from './device-notes.module.css'

/** Brings what earlier versions left on this device into the account, and says so in a line. */
export function DeviceNotes() {
  const queries = useQueryClient()
  const session = useSession()
  const note = useDeviceStore(takenNote)
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => takeAlong(queries, session) })
  useEffect(() => {
    if (!session.is_fallback && readDeviceEntries(session.id) !== null) mutate()
  }, [mutate, session])

  const left = data ? data.left.presets.length + data.left.filters.length : 0
  const problem = error ? errorMessage(error) : data?.reason
  return (
    <div role="status" className={classes.notes}>
      {note?.user_id === session.id && (
        <p className={classes.note}>
          <span>
            {countWords(note.presets, note.filters)} of this device {isOne(note) ? 'is' : 'are'} in your
            account now, on all your devices.
          </span>
          <Button variant="subtle" className={classes.action} onClick={() => takenNote.set(null)}>
            OK
          </Button>
        </p>
      )}
      {(error !== null || left > 0) && (
        <p className={classes.note} data-failed>
          <span>
            {data ? countWords(data.left.presets.length, data.left.filters.length) : 'What is kept'} on this
            device could not be taken into your account yet. {problem}
          </span>
          <Button
            variant="subtle"
            color="gray"
            className={classes.action}
            loading={isPending}
            onClick={() => mutate()}
          >
            Try again
          </Button>
        </p>
      )}
    </div>
  )
}

const isOne = ({ presets, filters }: { presets: number; filters: number }) => presets + filters === 1
