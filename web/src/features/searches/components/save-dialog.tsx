import type { SavedSearch } from '@dealdeck/contract/searches'
import { Button, Group, Switch, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import { useSearchChanges } from '../api.ts'
import { isSameName, longestSearchName, nameFor } from '../view.ts'
import classes from './search-form.module.css'

type SaveDialogProps = {
  asked: { text: string; whole: () => Promise<string> }
  searches: readonly SavedSearch[]
  /** `isShown`: whether its reader still waits for it. */
  onSaved: (saved: SavedSearch, isShown: boolean) => void
  /** Called with what went wrong after the dialog was closed. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

/** Gives the question on screen a name. It takes the place of one of its reader's own only by a button that says so. */
export function SaveDialog({ asked, searches, onSaved, onLateProblem, onClose }: SaveDialogProps) {
  const { add, change } = useSearchChanges()
  const [name, setName] = useState(() =>
    nameFor(
      asked.text,
      searches.map((search) => search.name),
    ),
  )
  const [isShared, setShared] = useState<boolean>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const isShown = useIsShown()
  const replaced = searches.find((search) => search.is_mine && isSameName(search.name, name))
  const is_shared = isShared ?? replaced?.is_shared ?? false

  function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '') setProblem('Please enter a name')
    else if (replaced) setProblem(`You have a search named “${replaced.name}”. Give this one another name.`)
    else void save()
  }

  async function save() {
    if (isBusy) return
    setBusy(true)
    try {
      const q = await asked.whole()
      const content = { name, q, sort: null, is_shared }
      const saving = replaced ? change.mutateAsync({ id: replaced.id, ...content }) : add.mutateAsync(content)
      onSaved(await saving, isShown())
    } catch (error) {
      setBusy(false)
      if (isShown()) setProblem(errorMessage(error))
      else onLateProblem(`“${name}” was not saved. ${errorMessage(error)}`)
    }
  }

  return (
    <Dialog title="Save search" onClose={onClose}>
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          label="Name"
          autoComplete="off"
          data-autofocus
          maxLength={longestSearchName}
          value={name}
          error={problem}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <Switch
          label="Share with the group"
          description="Everybody sees it above their deals. Only you and administrators can change it."
          checked={is_shared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {replaced && (
            <Button variant="default" loading={isBusy} onClick={() => void save()}>
              Replace “{replaced.name}”
            </Button>
          )}
          <Button type="submit" loading={isBusy && !replaced}>
            Save
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
