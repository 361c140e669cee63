import type { TypedSettings } from '../../../ui/typed-settings.ts'

/** What a device says of itself that decides whether it can be pushed to. */
export type PushSupport = {
  isSecure: boolean
  hasPush: boolean
  /** Whether it is an iPhone or iPad whose page was not opened from the Home Screen. */
  isBareApple: boolean
  permission: 'granted' | 'denied' | 'default'
}

/** Why this device can't be pushed to now, and what to do; undefined: it can. */
export function pushProblem({ isSecure, hasPush, isBareApple, permission }: PushSupport): string | undefined {
  if (!isSecure)
    return 'This address begins with http. Browsers push only to pages whose address begins with https; whoever runs this installation can change that.'
  if (isBareApple)
    return 'On an iPhone or iPad this works from the Home Screen only: press Share, then “Add to Home Screen”, open Dealdeck from there and come back to this page.'
  if (!hasPush) return 'This browser can’t be pushed to. Another one on this device may.'
  if (permission === 'denied')
    return 'Notifications of this site are blocked in this browser. Allow them in its settings of this site, then load this page anew.'
  return undefined
}

/** What this device says of itself. */
export function readPushSupport(): PushSupport {
  const hasPush = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
  const isApple = /iPhone|iPad/.test(navigator.userAgent)
  const isInstalled = window.matchMedia('(display-mode: standalone)').matches
  return {
    isSecure: window.isSecureContext,
    hasPush,
    isBareApple: isApple && !isInstalled,
    permission: hasPush ? Notification.permission : 'default',
  }
}

/** What a device refuses, in words that are meant to be shown. */
function refusal(text: string): Error {
  const error = new Error(text)
  error.name = 'DeviceRefusal'
  return error
}

/** Asks for the permission to push to this device, and where that is to go. Call it from a press; throws what the device refuses. */
export async function subscribeDevice(): Promise<TypedSettings> {
  const problem = pushProblem(readPushSupport())
  if (problem) throw refusal(problem)
  throw refusal('This browser gave no address to push to.')
}
