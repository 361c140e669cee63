import { deviceKeys } from '../../../platform/device-keys.ts'
import { readSessionHint } from '../../../platform/session-hint.ts'
import { readStored, writeStored } from '../../../platform/storage.ts'
import type { LinkParams } from '../view.ts'

type LastSetup = { user_id: number; search: LinkParams }

/** This tab's own, which another tab's doesn't replace. */
let own: LastSetup | undefined

/** Keeps a set-up until its member comes back to the screen: in this tab, and on the device until they sign out. */
export function keepSetup(search: LinkParams): void {
  const user = readSessionHint()
  if (!user) return
  own = { user_id: user.id, search }
  writeStored(deviceKeys.linkSetup, isEmpty(search) ? null : own)
}

/** The set-up that the member who is signed in left, as an address holds it; undefined where there is none. */
export function lastSetup(): LinkParams | undefined {
  const id = readSessionHint()?.id
  const found = [own, readStored(deviceKeys.linkSetup)]
    .filter(isLastSetup)
    .find(({ user_id }) => user_id === id)
  return found && !isEmpty(found.search) ? found.search : undefined
}

/** Whether an address asks for nothing. */
export const isEmpty = (search: LinkParams) => Object.values(search).every((value) => value === undefined)

// What the search holds the screen reads as it reads any address.
function isLastSetup(stored: unknown): stored is LastSetup {
  if (typeof stored !== 'object' || stored === null) return false
  const { user_id, search }: { user_id?: unknown; search?: unknown } = stored
  return typeof user_id === 'number' && typeof search === 'object' && search !== null
}
