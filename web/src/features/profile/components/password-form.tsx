import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { laterClient } from '../../../platform/later-client.ts'
import { SecretInput } from '../../../ui/secret-input.tsx'
import { sessionsQuery } from '../view/sessions.ts'
import { type PasswordField, type PasswordProblem, passwordProblem, passwordRefusal } from '../view.ts'
import { Panel } from './panel.tsx'
import classes from './password-form.module.css'

const nothing = { current: '', next: '', confirmation: '' }

/** Changes the password of the user's own account. */
export function PasswordForm({ username }: { username: string }) {
  const queries = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const [fields, setFields] = useState(nothing)
  const [problem, setProblem] = useState<PasswordProblem | null>(null)
  const [done, setDone] = useState(false)
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    const wrong = problem?.fields[0]
    if (wrong) form.current?.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus()
  }, [problem])

  async function change() {
    const found = passwordProblem(fields)
    setProblem(found)
    setDone(false)
    if (found) return
    setBusy(true)
    try {
      await laterClient.profile.changePassword({
        current_password: fields.current,
        new_password: fields.next,
      })
      setFields(nothing)
      setDone(true)
      void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    } catch (error) {
      setProblem(passwordRefusal(error))
    } finally {
      setBusy(false)
    }
  }

  const field = (name: PasswordField) => ({
    name,
    value: fields[name],
    error: problem?.fields[0] === name ? problem.message : problem?.fields.includes(name),
    readOnly: busy,
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      setDone(false)
      setFields((now) => ({ ...now, [name]: value }))
    },
  })

  return (
    <Panel title="Password" lead="A new password signs you out everywhere else.">
      <form
        ref={form}
        className={classes.form}
        noValidate
        aria-busy={busy}
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) void change()
        }}
      >
        {/* Tells a password manager whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <SecretInput
          {...field('current')}
          what="current password"
          label="Current password"
          autoComplete="current-password"
        />
        <SecretInput
          {...field('next')}
          what="new password"
          label="New password"
          autoComplete="new-password"
        />
        <SecretInput
          {...field('confirmation')}
          what="confirmed password"
          label="Confirm new password"
          autoComplete="new-password"
        />
        <p className={classes.problem} role="alert">
          {problem && problem.fields.length === 0 && problem.message}
        </p>
        <div className={classes.end}>
          <p className={classes.done} role="status">
            {done && 'Password changed. You are signed out everywhere else.'}
          </p>
          <Button type="submit" loading={busy}>
            Change password
          </Button>
        </div>
      </form>
    </Panel>
  )
}
