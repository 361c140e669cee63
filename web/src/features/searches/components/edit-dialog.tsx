import type { SavedSearch } from '@dealdeck/contract/searches'
import { Button, Group, NativeSelect, Switch, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiError, errorMessage } from '../../../platform/api-error.ts'
import { useSession } from '../../../platform/session.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import { useSearchChanges } from '../api.ts'
import { longestSearchName, sortChoices } from '../view.ts'
import classes from './search-form.module.css'

type EditDialogProps = {
  search: SavedSearch
  /** What was saved: the search, or the copy that somebody else's has become. */
  onSaved: (saved: SavedSearch) => void
  /** Called with what went wrong after the dialog was closed. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

type Problem = { field: string; text: string }

/** Changes the name, question, sort and sharing of a search; of somebody else's it makes a copy of one's own. */
export function EditDialog({ search, onSaved, onLateProblem, onClose }: EditDialogProps) {
  const { change } = useSearchChanges()
  const isAdministrator = useSession().role === 'admin'
  const isCopy = !search.is_mine && !isAdministrator
  const [fields, setFields] = useState({ name: search.name, q: search.q, sort: search.sort })
  const [is_shared, setShared] = useState(search.is_shared && !isCopy)
  const [problem, setProblem] = useState<Problem>()
  const isShown = useIsShown()
  const problemOf = (field: string) => (problem?.field === field ? problem.text : undefined)
  const set = (part: Partial<typeof fields>) => {
    setFields({ ...fields, ...part })
    setProblem(undefined)
  }

  async function save(event: FormEvent) {
    event.preventDefault()
    if (fields.name.trim() === '') return setProblem({ field: 'name', text: 'Please enter a name' })
    const { id, updated_at: expected_updated_at } = search
    try {
      onSaved(await change.mutateAsync({ id, ...fields, is_shared, expected_updated_at }))
    } catch (error) {
      const [field = 'name', text = errorMessage(error)] =
        (error instanceof ApiError ? Object.entries(error.fields)[0] : undefined) ?? []
      if (!isShown()) return onLateProblem(`“${search.name}” was not saved. ${text}`)
      setProblem({ field: field === 'q' ? field : 'name', text })
    }
  }

  return (
    <Dialog title={isCopy ? 'Change a copy' : 'Edit search'} onClose={onClose}>
      <form className={classes.form} onSubmit={(event) => void save(event)}>
        {!search.is_mine && (
          <p className={classes.hint}>
            {isCopy
              ? `This is the search of ${search.owner}. It stays as it is; what you change becomes a copy of your own.`
              : `This is the search of ${search.owner}. Everybody sees what you change.`}
          </p>
        )}
        <TextInput
          label="Name"
          autoComplete="off"
          maxLength={longestSearchName}
          value={fields.name}
          error={problemOf('name')}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <TextInput
          label="Question"
          description="As in the search box, such as watch price:<30 -casio"
          autoComplete="off"
          spellCheck={false}
          maxLength={500}
          value={fields.q}
          error={problemOf('q')}
          onChange={(event) => set({ q: event.currentTarget.value })}
        />
        <NativeSelect
          label="Sort by"
          data={[...sortChoices]}
          value={sortChoices.find(({ sort }) => sort === fields.sort)?.value ?? ''}
          onChange={({ currentTarget: { value } }) =>
            set({ sort: sortChoices.find((choice) => choice.value === value)?.sort ?? null })
          }
        />
        <Switch
          label="Share with the group"
          checked={is_shared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            {isCopy ? 'Save as my own' : 'Save'}
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
