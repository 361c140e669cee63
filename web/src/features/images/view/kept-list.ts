import { deviceKeys } from '../../../platform/device-keys.ts'
import { memberValue } from '../../../platform/member-value.ts'

const list = memberValue(deviceKeys.imageList)

/** Keeps what was pasted until its member comes back to the screen. */
export function keepList(text: string): void {
  list.keep(text || null)
}

/** What the member who is signed in left; empty where there is nothing. */
export function keptList(): string {
  const kept = list.kept()
  return typeof kept === 'string' ? kept : ''
}
