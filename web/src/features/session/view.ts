import { ApiError } from '../../platform/api-error.ts'

export type LoginMode = 'sign-in' | 'sign-up'
export type LoginField = 'username' | 'password' | 'confirmation'
export type LoginFields = Record<LoginField, string>

/** Why something did not work, and the fields it is about. */
export type LoginProblem = { message: string; fields: LoginField[] }

/** The contract's own constant would bring the schema library into the first load; a test holds the two together. */
export const minimumPasswordLength = 6

/** Whether the form may be sent: no field that the mode shows is empty, and the name is more than blanks. */
export function isComplete(mode: LoginMode, { username, password, confirmation }: LoginFields): boolean {
  return username.trim() !== '' && password !== '' && (mode === 'sign-in' || confirmation !== '')
}

/** What is sent: the name trimmed and lowercased, the password trimmed. */
export function credentials({ username, password }: LoginFields): { username: string; password: string } {
  return { username: username.trim().toLowerCase(), password: password.trim() }
}

/** What is wrong with the fields before anything is sent, or null. */
export function findProblem(mode: LoginMode, fields: LoginFields): LoginProblem | null {
  const { username, password } = credentials(fields)
  if (username === '' || password === '') {
    const empty: LoginField[] = username === '' ? ['username'] : []
    if (password === '') empty.push('password')
    return { message: 'Username and password are required', fields: empty }
  }
  if (mode === 'sign-in') return null
  if (password !== fields.confirmation.trim()) {
    return { message: 'Passwords do not match', fields: ['confirmation'] }
  }
  if (password.length < minimumPasswordLength) {
    return {
      message: `Password must be at least ${minimumPasswordLength} characters long`,
      fields: ['password'],
    }
  }
  return null
}

/** What to say after a refused or failed sign-in. A refusal has its own words, anything else is a failure. */
export function signInProblem(error: unknown): LoginProblem {
  if (error instanceof ApiError && error.status < 500) {
    return { message: inputMessage(error), fields: error.status === 401 ? ['username', 'password'] : [] }
  }
  return { message: 'Login failed. Please try again.', fields: [] }
}

/** What to say after a refused or failed sign-up. */
export function signUpProblem(error: unknown): LoginProblem {
  if (!(error instanceof ApiError)) {
    return { message: 'Sign up failed: Please check your connection and try again.', fields: [] }
  }
  if (error.code === 'USERNAME_TAKEN') return { message: error.message, fields: ['username'] }
  if (endsWithContact(error.message) || error.status === 429) return { message: error.message, fields: [] }
  const fields = (['username', 'password'] as const).filter((field) => field in error.fields)
  return { message: `Sign up failed: ${inputMessage(error)}`, fields }
}

/** These sentences of the catalogue already say everything. */
function endsWithContact(message: string): boolean {
  return message.endsWith('Please contact administrator.')
}

/** The first field's own complaint says more than 'the input is not valid'. */
function inputMessage(error: ApiError): string {
  return Object.values(error.fields)[0] ?? error.message
}
