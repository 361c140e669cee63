import { ApiError, errorMessage } from '../../platform/api-error.ts'
import { plainNumber } from '../../platform/typed-number.ts'
import type { Profile, ProfileField } from './view/profile.ts'
import type { ProfileTab } from './view/search.ts'

export const tabLabels: Record<ProfileTab, string> = {
  profile: 'Profile',
  preferences: 'Preferences',
  security: 'Security',
}

/** What is stored of a filled-in form: without spaces around it. */
export function tidyProfile(profile: Profile): Profile {
  return {
    username: profile.username.trim(),
    email: profile.email.trim(),
    firstName: profile.firstName.trim(),
    lastName: profile.lastName.trim(),
    bio: profile.bio.trim(),
    avatar: profile.avatar,
  }
}

/** What is stored of a form that was opened with one profile: of `known`, which another tab may have saved meanwhile, what was changed. */
export function mergeProfile(opened: Profile, filled: Profile, known: Profile): Profile {
  const changed = Object.entries(filled).filter(([field, value]) => value !== Reflect.get(opened, field))
  return { ...known, ...Object.fromEntries(changed) }
}

export type ProfileProblems = Partial<Record<ProfileField, string>>

/** What is wrong with a filled-in form, field by field. */
export function profileProblems(profile: Profile): ProfileProblems {
  const { username, email } = tidyProfile(profile)
  return {
    ...(username === '' && { username: 'Username is required' }),
    ...(email !== '' && !isEmail(email) && { email: 'Enter an address such as name@example.com' }),
  }
}

/** The shape of an address; whether it exists only a mail would tell. */
function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)
}

/** The highest price as it is typed, with either decimal sign; null for anything but 1 to 1000. */
export function parseMaxPrice(text: string): number | null {
  const trimmed = plainNumber(text)
  if (!/^\d{1,4}(\.\d{1,2})?$/.test(trimmed)) return null
  const price = Number(trimmed)
  return price >= 1 && price <= 1000 ? price : null
}

export type PasswordFields = { current: string; next: string; confirmation: string }
export type PasswordField = keyof PasswordFields
export type PasswordProblem = { message: string; fields: PasswordField[] }

/** The contract's own constant would bring the schema library into this screen; a test holds the two together. */
export const shortestPassword = 6

/** What is wrong with the form before anything is sent, or null. */
export function passwordProblem(fields: PasswordFields): PasswordProblem | null {
  const [current, next, confirmation] = [fields.current, fields.next, fields.confirmation].map((text) =>
    text.trim(),
  )
  if (!current || !next) {
    const empty: PasswordField[] = current ? [] : ['current']
    if (!next) empty.push('next')
    return { message: 'Please enter your current and your new password', fields: empty }
  }
  if (next.length < shortestPassword) {
    return {
      message: `Password must be at least ${shortestPassword} characters long`,
      fields: ['next'],
    }
  }
  if (next !== confirmation) return { message: 'Passwords do not match', fields: ['confirmation'] }
  return null
}

/** What to say after the server refused the new password, or could not be asked. */
export function passwordRefusal(error: unknown): PasswordProblem {
  const fields: PasswordField[] = []
  if (error instanceof ApiError) {
    if ('current_password' in error.fields) fields.push('current')
    if ('new_password' in error.fields) fields.push('next')
    if (error.status < 500) return { message: error.message, fields }
  }
  return { message: `The password is not changed. ${errorMessage(error)}`, fields }
}

/** Whether a device is held in the hand, by its description. */
export function isHandheld(device: string): boolean {
  return /\b(iPhone|iPad|Android)\b/.test(device)
}

/** 'Signed out of 3 other sessions'. */
export function endedLine(ended: number, number: (value: number) => string): string {
  if (ended === 0) return 'There was no other session'
  return ended === 1 ? 'Signed out of 1 other session' : `Signed out of ${number(ended)} other sessions`
}

/** 'Showing 20 of 261 sessions'. */
export function shownLine(shown: number, total: number, number: (value: number) => string): string {
  return `Showing ${number(shown)} of ${number(total)} sessions`
}
