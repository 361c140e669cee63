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

/** 'Ada Lovelace', or the username of somebody who gave no name. */
export function displayName({ firstName, lastName, username }: Profile): string {
  return [firstName, lastName].filter(Boolean).join(' ') || username
}
