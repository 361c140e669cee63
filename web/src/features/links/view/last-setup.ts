import { deviceKeys } from '../../../platform/device-keys.ts'
import { memberValue } from '../../../platform/member-value.ts'
import type { LinkParams } from '../view.ts'

const setup = memberValue(deviceKeys.linkSetup)

/** Keeps a set-up until its member comes back to the screen. */
export function keepSetup(search: LinkParams): void {
  setup.keep(isEmpty(search) ? null : search)
}

/** The set-up that the member who is signed in left, as an address holds it; undefined where there is none. */
export function lastSetup(): LinkParams | undefined {
  const kept = setup.kept()
  // What it holds the screen reads as it reads any address.
  return isParams(kept) && !isEmpty(kept) ? kept : undefined
}

/** Whether an address asks for nothing. */
export const isEmpty = (search: LinkParams) => Object.values(search).every((value) => value === undefined)

const isParams = (kept: unknown): kept is LinkParams => typeof kept === 'object' && kept !== null
