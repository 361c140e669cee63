import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import classes from './dialog.module.css'

type DialogProps = {
  title: string
  /** Called for Esc, a click beside the dialog, or when its content asks for it. */
  onClose: () => void
  /** At the bottom of the screen, within the thumb's reach, and free of margins for a list. */
  asSheet?: boolean
  children: ReactNode
}

/**
 * A modal dialog on the browser's own element: focus stays inside and goes back to where it was, Esc closes.
 * Render it while it is wanted, leave it out otherwise.
 */
export function Dialog({ title, onClose, asSheet = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const pressed = useRef<EventTarget>(null)

  // Before the element leaves the page, or the browser could not give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    // Its first field has the focus otherwise, which need not be the one to begin with.
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => element?.close()
  }, [])

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the keyboard's way to close; the browser brings it.
    <dialog
      ref={dialog}
      className={classes.dialog}
      data-sheet={asSheet || undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // Text that is marked beyond the edge ends in a click beside it, too.
      onPointerDown={({ target }) => {
        pressed.current = target
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget && pressed.current === target) onClose()
      }}
    >
      <div className={classes.body}>
        <h2 id={titleId} className={classes.title}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}
