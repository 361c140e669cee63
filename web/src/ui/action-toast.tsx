import { useEffect, useState } from 'react'
import classes from './action-toast.module.css'
import frame from './toast.module.css'

export type ActionNote = {
  text: string
  failed?: boolean
  /** What takes it back; offered for as long as the note stands. */
  undo?: () => void
  /** What goes on from it; offered for as long. */
  more?: { label: string; run: () => void }
}

const shortMs = 4_000
const longMs = 12_000

/** The last note, which goes away by itself: later when it offers to undo or says why something failed, and not while somebody is at it. */
export function useActionNote() {
  const [note, setNote] = useState<ActionNote & { key: number }>()
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (note === undefined || isHeld) return
    const isLong = note.undo || note.more || note.failed
    const timer = setTimeout(() => setNote(undefined), isLong ? longMs : shortMs)
    return () => clearTimeout(timer)
  }, [note, isHeld])
  return {
    note,
    say: (next: ActionNote) => {
      setNote((last) => ({ ...next, key: (last?.key ?? 0) + 1 }))
      // The note that was pointed at goes without a word of the pointer's.
      setHeld(false)
    },
    hold: setHeld,
    dismiss: () => {
      setNote(undefined)
      setHeld(false)
    },
  }
}

/** Says over the content what came of an action, and offers to take it back. */
export function ActionToast({ note, hold, dismiss }: Omit<ReturnType<typeof useActionNote>, 'say'>) {
  return (
    <div className={frame.region} role="status">
      {note && (
        // biome-ignore lint/a11y/noStaticElementInteractions: only keeps the note while the pointer rests on it
        <div
          key={note.key}
          className={`${frame.toast} ${classes.note}`}
          data-failed={note.failed || undefined}
          data-more={note.more ? true : undefined}
          onMouseEnter={() => hold(true)}
          onMouseLeave={() => hold(false)}
          onFocus={() => hold(true)}
          onBlur={() => hold(false)}
        >
          <span className={classes.text}>{note.text}</span>
          <span className={classes.actions}>
            {note.more && (
              <button
                type="button"
                className={classes.undo}
                onClick={() => {
                  note.more?.run()
                  dismiss()
                }}
              >
                {note.more.label}
              </button>
            )}
            {note.undo && (
              <button
                type="button"
                className={classes.undo}
                onClick={() => {
                  note.undo?.()
                  dismiss()
                }}
              >
                Undo
              </button>
            )}
          </span>
        </div>
      )}
    </div>
  )
}
