import {
  type PushDestination,
  type PushState,
  pushDestinationId,
  readPushState,
  turnOffPush,
  turnOnPush,
} from '../../../platform/push.ts'

/** Why this device can't be pushed to now, and what to do; undefined: it can. */
export const pushProblems: Record<PushState, string | undefined> = {
  unsupported: 'This browser can’t be pushed to. Another one on this device may.',
  needs_https:
    'The address of this page begins with http. Browsers push only where it begins with https; whoever runs this installation can change that.',
  needs_home_screen:
    'On an iPhone or iPad this works from the Home Screen only: press Share, then “Add to Home Screen”, open Dealdeck from there and come back to this page.',
  denied:
    'Notifications of this site are blocked in this browser. Allow them in its settings of this site, then load this page anew.',
  off: undefined,
  on: undefined,
}

/** What a device refuses, in words that are meant to be shown. */
function refusal(text: string): Error {
  const error = new Error(text)
  error.name = 'DeviceRefusal'
  return error
}

/**
 * Asks for the permission to push to this device, and where that is to go. Call it first thing in the handler of a press; throws
 * what the device refuses.
 */
export async function subscribeDevice(publicKey: string | undefined): Promise<PushDestination> {
  if (publicKey === undefined) throw refusal('The key for it has not come yet. Press once more.')
  const destination = await turnOnPush(publicKey).catch(() => {
    throw refusal('The push service of this browser can’t be reached. Try again later.')
  })
  if (destination) return destination
  throw refusal(pushProblems[await readPushState()] ?? 'Without your permission nothing can be shown here.')
}

/** Ends pushes to this device, where it is the destination that was removed. */
export async function forgetDevice(destinationId: number): Promise<void> {
  if (pushDestinationId() === destinationId) await turnOffPush().catch(() => undefined)
}
