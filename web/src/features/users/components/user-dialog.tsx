import type { UserRecord } from '@dealdeck/contract/users'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { laterClient } from '../../../platform/later-client.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { SecretInput } from '../../../ui/secret-input.tsx'
import { useIsShown } from '../../../ui/use-is-shown.ts'
import {
  changesOf,
  type FormProblem,
  findProblem,
  formProblem,
  isOutdated,
  roleLabels,
  type UserField,
  type UserFields,
} from '../view.ts'
import classes from './user-dialog.module.css'

type UserDialogProps = {
  /** Undefined for a new one. */
  user: UserRecord | undefined
  isSelf: boolean
  onSaved: (user: UserRecord) => void
  /** What the form was filled with is no longer what the server has. */
  onOutdated: () => void
  /** Hears what is wrong where the dialog was closed before that was known. */
  onLateProblem: (text: string) => void
  onClose: () => void
}

const roles = [
  { value: 'user', label: roleLabels.user },
  { value: 'admin', label: roleLabels.admin },
]

/** The form for a new user, or for name, password and role of one there is. */
export function UserDialog({ user, isSelf, onSaved, onOutdated, onLateProblem, onClose }: UserDialogProps) {
  const form = useRef<HTMLFormElement>(null)
  const [fields, setFields] = useState<UserFields>({
    username: user?.username ?? '',
    password: '',
    role: user?.role ?? 'user',
  })
  const [problem, setProblem] = useState<FormProblem | null>(null)
  const [busy, setBusy] = useState(false)
  const isShown = useIsShown()

  useEffect(() => {
    const wrong = problem?.fields[0]
    if (wrong) form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus()
  }, [problem])

  async function save() {
    const found = findProblem(fields, user === undefined)
    setProblem(found)
    if (found) return
    const change = user && changesOf(user, fields)
    // Nothing differs, which is as good as saved.
    if (change === null && user?.is_active) return onClose()
    setBusy(true)
    try {
      onSaved(await (user ? update(user, change ?? {}) : laterClient.users.create(fields)))
    } catch (error) {
      setBusy(false)
      const found = formProblem(error)
      if (isShown()) setProblem(found)
      else onLateProblem(`${user?.username ?? fields.username} was not saved. ${found.message}`)
      if (isOutdated(error)) onOutdated()
    }
  }

  const update = (before: UserRecord, change: Partial<UserFields>) =>
    laterClient.users.update({
      id: before.id,
      ...change,
      ...(!before.is_active && { is_active: true }),
      expected_updated_at: before.updated_at,
    })

  const field = (name: UserField) => ({
    name,
    // The first wrong field carries the words, the others are only marked.
    error: problem?.fields[0] === name ? problem.message : problem?.fields.includes(name),
    readOnly: busy,
  })
  const set = (name: 'username' | 'password') => (event: { currentTarget: { value: string } }) =>
    setFields({ ...fields, [name]: event.currentTarget.value })

  return (
    <Dialog title={user ? `Edit ${user.username}` : 'Add user'} onClose={onClose}>
      <form
        ref={form}
        className={classes.form}
        noValidate
        aria-busy={busy}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) void save()
        }}
      >
        <TextInput
          {...field('username')}
          label="Username"
          size="md"
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={64}
          value={fields.username}
          onChange={set('username')}
        />
        <SecretInput
          {...field('password')}
          what="password"
          label={user ? 'New password' : 'Password'}
          description={user && 'Leave it empty to keep the present one.'}
          autoComplete="new-password"
          value={fields.password}
          onChange={set('password')}
        />
        <NativeSelect
          name="role"
          label="Role"
          size="md"
          data={roles}
          disabled={busy}
          value={fields.role}
          onChange={({ currentTarget: { value } }) =>
            setFields({ ...fields, role: value === 'admin' ? 'admin' : 'user' })
          }
        />
        {user && (
          <p className={classes.note}>
            {!user.is_active && 'This account is inactive. Saving makes it active again. '}
            {isSelf
              ? 'This is your own account: a new password or role signs you out.'
              : 'A new password or role signs this user out everywhere.'}
          </p>
        )}
        <p className={classes.problem} role="alert">
          {problem && problem.fields.length === 0 && problem.message}
        </p>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={busy}>
            {user === undefined ? 'Add user' : user.is_active ? 'Save' : 'Save and activate'}
          </Button>
        </Group>
      </form>
    </Dialog>
  )
}
