import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { ApiError } from '../../platform/api-error.ts'
import { client } from '../../platform/client.ts'
import { useSettings } from '../../platform/money.ts'
import { Brand } from '../../ui/brand.tsx'
import { sessionBegan } from './api.ts'
import { LoginForm } from './components/login-form.tsx'
import classes from './login-screen.module.css'
import {
  credentials,
  findProblem,
  type LoginFields,
  type LoginMode,
  type LoginProblem,
  signInProblem,
  signUpProblem,
} from './view.ts'

/** How long 'Account created successfully!' stands before the automatic sign-in, in milliseconds. */
const signUpPause = 1500
const nothing: LoginFields = { username: '', password: '', confirmation: '' }

/** What everybody sees who is not signed in, at whatever address. */
export function LoginScreen() {
  const queryClient = useQueryClient()
  const { signup_mode } = useSettings()
  const form = useRef<HTMLFormElement>(null)
  const [mode, setMode] = useState<LoginMode>('sign-in')
  const [fields, setFields] = useState(nothing)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<LoginProblem | null>(null)
  const [notice, setNotice] = useState('')
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    document.title = 'Sign in · Dealdeck'
    return () => clearTimeout(pause.current)
  }, [])

  // Typed, or filled in by the browser, while the program was on its way.
  useLayoutEffect(() => {
    const inputs = [...(form.current?.querySelectorAll('input') ?? [])]
    const typed = Object.fromEntries(inputs.map(({ name, value }) => [name, value]))
    if (inputs.some(({ value }) => value !== '')) setFields((fields) => ({ ...fields, ...typed }))
  }, [])

  // A new mode starts at its first empty field, a refusal at the field it is about.
  useEffect(() => {
    const inputs = [...(form.current?.querySelectorAll('input') ?? [])]
    const wrong = problem?.fields[0]
    const target = wrong
      ? inputs.find((input) => input.name === wrong)
      : inputs.find((input) => input.value === '')
    if (mode) target?.focus()
  }, [mode, problem])

  function switchMode(next: LoginMode) {
    setMode(next)
    setProblem(null)
    setNotice('')
    setFields({ ...fields, confirmation: '' })
  }

  async function signIn() {
    try {
      sessionBegan(queryClient, await client.session.signIn(credentials(fields)))
    } catch (error) {
      setProblem(signInProblem(error))
      setBusy(false)
    }
  }

  async function signUp() {
    try {
      await client.session.signUp(credentials(fields))
      setNotice('Account created successfully! Logging you in...')
      pause.current = setTimeout(() => void signInAfterSignUp(), signUpPause)
    } catch (error) {
      setProblem(signUpProblem(error))
      setBusy(false)
    }
  }

  async function signInAfterSignUp() {
    try {
      sessionBegan(queryClient, await client.session.signIn(credentials(fields)))
    } catch (error) {
      setBusy(false)
      setMode('sign-in')
      setFields({ ...nothing, username: fields.username })
      setNotice('Account created! Please log in with your credentials.')
      // Not a failure that another try would mend, so it is said right away.
      if (error instanceof ApiError && error.code === 'ACCOUNT_PENDING')
        setProblem({ message: error.message, fields: [] })
    }
  }

  function submit() {
    const found = findProblem(mode, fields)
    setNotice('')
    setProblem(found)
    if (found) return
    setBusy(true)
    void (mode === 'sign-up' ? signUp() : signIn())
  }

  return (
    <main className={classes.place}>
      <div className={classes.card}>
        <Brand size="lg" />
        <div>
          <h1 className={classes.title}>{mode === 'sign-up' ? 'Create your account' : 'Sign in'}</h1>
          <p className={classes.lead}>For authorized users only.</p>
        </div>
        <LoginForm
          mode={mode}
          fields={fields}
          busy={busy}
          problem={problem}
          notice={notice}
          form={form}
          onChange={(field, value) => setFields({ ...fields, [field]: value })}
          onSubmit={submit}
        />
        {signup_mode === 'closed' ? (
          <p className={classes.other}>No account yet? Ask an administrator.</p>
        ) : (
          <p className={classes.other}>
            {mode === 'sign-up' ? 'Already have an account?' : 'No account yet?'}{' '}
            <button
              type="button"
              className={classes.link}
              disabled={busy}
              onClick={() => switchMode(mode === 'sign-up' ? 'sign-in' : 'sign-up')}
            >
              {mode === 'sign-up' ? 'Sign in' : 'Create an account'}
            </button>
          </p>
        )}
      </div>
    </main>
  )
}
