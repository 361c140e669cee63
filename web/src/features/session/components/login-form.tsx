import { Button, TextInput } from '@mantine/core'
import { type RefObject, useId, useLayoutEffect } from 'react'
import { SecretInput } from '../../../ui/secret-input.tsx'
import { isComplete, type LoginField, type LoginFields, type LoginMode, type LoginProblem } from '../view.ts'
import classes from './login-form.module.css'

type LoginFormProps = {
  mode: LoginMode
  fields: LoginFields
  busy: boolean
  problem: LoginProblem | null
  notice: string
  form: RefObject<HTMLFormElement | null>
  onChange: (field: LoginField, value: string) => void
  onSubmit: () => void
}

/** The fields of a mode, what is to be said about them, and the button. */
export function LoginForm({ mode, fields, busy, problem, notice, form, onChange, onSubmit }: LoginFormProps) {
  const messageId = useId()
  const signingUp = mode === 'sign-up'

  // By hand, because the component library lets a field be described by its own parts only.
  useLayoutEffect(() => {
    for (const input of form.current?.querySelectorAll('input') ?? []) {
      if (problem?.fields.some((field) => field === input.name))
        input.setAttribute('aria-describedby', messageId)
      else input.removeAttribute('aria-describedby')
    }
  }, [problem, messageId, form])

  const field = (name: LoginField) => ({
    name,
    value: fields[name],
    // Not disabled: the focus would be lost while the server is asked.
    readOnly: busy,
    error: problem?.fields.includes(name),
    onChange: (event: { currentTarget: { value: string } }) => onChange(name, event.currentTarget.value),
  })

  return (
    <form
      ref={form}
      className={classes.form}
      noValidate
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <TextInput
        {...field('username')}
        label="Username"
        size="md"
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        maxLength={64}
      />
      <SecretInput
        {...field('password')}
        what="password"
        label="Password"
        autoComplete={signingUp ? 'new-password' : 'current-password'}
      />
      {signingUp && (
        <SecretInput
          {...field('confirmation')}
          what="confirmed password"
          label="Confirm password"
          autoComplete="new-password"
        />
      )}
      <div id={messageId} aria-live="assertive" className={classes.messages}>
        {notice && <p className={classes.notice}>{notice}</p>}
        {problem && <p className={classes.problem}>{problem.message}</p>}
      </div>
      <Button type="submit" size="md" fullWidth disabled={!isComplete(mode, fields)} loading={busy}>
        {signingUp ? 'Create Account' : 'Sign In'}
      </Button>
    </form>
  )
}
