import type { UserRecord } from '@dealdeck/contract/users'
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { laterClient } from '../../../platform/later-client.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import { failureLine, isOutdated } from '../view.ts'
import classes from './user-dialog.module.css'

type DeleteDialogProps = {
  user: UserRecord
  isSelf: boolean
  onDeleted: () => void
  /** Somebody else has deleted the account already. */
  onOutdated: () => void
  /** Hears why nothing was deleted where the dialog was closed before that was known. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

/** Asks for the name before an account is deleted for good. */
export function DeleteDialog({
  user,
  isSelf,
  onDeleted,
  onOutdated,
  onLateProblem,
  onClose,
}: DeleteDialogProps) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isShown = useIsShown()
  const isSure = plain(typed) === plain(user.username)

  async function remove() {
    setBusy(true)
    setProblem(undefined)
    try {
      await laterClient.users.remove({ id: user.id })
      onDeleted()
    } catch (error) {
      setBusy(false)
      if (isShown()) setProblem(failureLine('Failed to delete user', error))
      else onLateProblem(failureLine(`Failed to delete ${user.username}`, error))
      if (isOutdated(error)) onOutdated()
    }
  }

  return (
    <Dialog title={`Delete ${user.username}`} onClose={onClose}>
      <form
        className={classes.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isSure && !busy) void remove()
        }}
      >
        <p className={classes.note}>
          The account is deleted for good and signed out everywhere.{' '}
          {isSelf ? 'It is your own.' : 'To keep it but lock it, make it inactive instead.'}
        </p>
        <TextInput
          label={`Type ${user.username} to confirm`}
          size="md"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          value={typed}
          readOnly={busy}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <p className={classes.problem} role="alert">
          {problem}
        </p>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={!isSure} loading={busy}>
            Delete for good
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}

/** A name in the one form in which new ones are stored: an old one may be typed in another than it is stored in. */
const plain = (name: string) => name.normalize('NFKC').trim().toLowerCase()
