import { ApiError, errorMessage } from '../../platform/api-error.ts'

export const profileTabs = ['profile', 'preferences', 'security'] as const
export type ProfileTab = (typeof profileTabs)[number]
export const tabLabels: Record<ProfileTab, string> = {
  profile: 'Profile',
  preferences: 'Preferences',
  security: 'Security',
}

/** The screen's part of the address; without a tab it is the first. */
export type ProfileSearch = { tab?: ProfileTab | undefined }

/** Reads an address, typed by the app or by hand. What makes no sense is left out, so this never fails. */
export const profileSearchSchema = {
  parse({ tab }: Record<string, unknown>): ProfileSearch {
    return { tab: profileTabs.find((known) => known === tab) }
  },
}

/** What somebody says of themselves, on this device only. `avatar` is a picture's data address; empty is none. */
export type Profile = {
  username: string
  email: string
  firstName: string
  lastName: string
  bio: string
  avatar: string
}
export type ProfileField = keyof Profile

export const longest: Record<Exclude<ProfileField, 'avatar'>, number> = {
  username: 64,
  email: 254,
  firstName: 60,
  lastName: 60,
  bio: 500,
}

/** The profile of what was stored; anything missing or nonsensical is empty, the name then that of the account. */
export function parseProfile(stored: unknown, accountName: string): Profile {
  const given: Partial<Record<ProfileField, unknown>> =
    typeof stored === 'object' && stored !== null ? stored : {}
  const text = (field: Exclude<ProfileField, 'avatar'>) => {
    const value = given[field]
    return typeof value === 'string' ? value.slice(0, longest[field]) : ''
  }
  const { avatar } = given
  return {
    username: text('username').trim() || accountName,
    email: text('email'),
    firstName: text('firstName'),
    lastName: text('lastName'),
    bio: text('bio'),
    // Nothing but a picture that was cut here: the address of another site would tell it who looks.
    avatar: typeof avatar === 'string' && /^data:image\/(jpeg|png|webp);base64,/.test(avatar) ? avatar : '',
  }
}

/** What is kept of a filled-in form: without spaces around it. */
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

/** 'Ada Lovelace', or the username of somebody who gave no name. */
export function displayName({ firstName, lastName, username }: Profile): string {
  return [firstName, lastName].filter(Boolean).join(' ') || username
}

/** The highest price as it is typed, with either decimal sign; null for anything but 1 to 1000. */
export function parseMaxPrice(text: string): number | null {
  const trimmed = text.trim().replace(',', '.')
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
