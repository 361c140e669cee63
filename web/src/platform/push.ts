import { deviceKeys } from './device-keys.ts'
import { readStored, writeStored } from './storage.ts'

/**
 * What this browser can do now. `unsupported`: never. `needs_https`: the page must come over https. `needs_home_screen`: an iPhone or iPad
 * shows pushes of apps on its Home Screen only. `denied`: its owner has said no, and changes that in the browser. `off`: may be turned on.
 */
export type PushState = 'unsupported' | 'needs_https' | 'needs_home_screen' | 'denied' | 'off' | 'on'

/** What a destination of the kind `webpush` is made of. */
export type PushDestination = {
  settings: { label: string }
  secrets: { endpoint: string; p256dh: string; auth: string }
}

const worker = '/service-worker.js'

/** What this browser can do now; asks nobody. `on` says that it is subscribed, not by which account. */
export async function readPushState(): Promise<PushState> {
  if (!window.isSecureContext) return 'needs_https'
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return isApplePhone() && !isOnHomeScreen() ? 'needs_home_screen' : 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  const subscription = Notification.permission === 'granted' ? await currentSubscription() : null
  return subscription ? 'on' : 'off'
}

/**
 * Asks for permission and subscribes this browser; null when its owner says no. Call it first thing in the handler of a tap, with the
 * installation's key already there: browsers ask nobody otherwise. Throws where the browser's push service can't be reached.
 */
export async function turnOnPush(publicKey: string): Promise<PushDestination | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  return describe(await subscribe(publicKey))
}

/** Ends the subscription of this browser, and forgets which destination it was: before signing out, and when that is removed. */
export async function turnOffPush(): Promise<void> {
  writeStored(deviceKeys.push, null)
  await (await currentSubscription())?.unsubscribe()
}

/** Notes which destination this browser is, once the server has made it. */
export function rememberPush(destinationId: number, { secrets }: PushDestination): void {
  writeStored(deviceKeys.push, { id: destinationId, endpoint: secrets.endpoint })
}

/** The destination that this browser is; null where it is none that this page knows of. */
export function pushDestinationId(): number | null {
  return readRemembered()?.id ?? null
}

/**
 * At each start: browsers drop and replace subscriptions without telling anybody. Where this browser's is another one than the server
 * has, or another key's, subscribes anew and hands it to `renew`, which changes the destination. Asks for no permission.
 * Throws what its parameters throw; the next start tries again.
 */
export async function keepPush(
  readPublicKey: () => Promise<string>,
  renew: (destinationId: number, destination: PushDestination) => Promise<unknown>,
): Promise<void> {
  const remembered = readRemembered()
  if (!remembered || !['on', 'off'].includes(await readPushState())) return
  if (Notification.permission !== 'granted') return
  const destination = describe(await subscribe(await readPublicKey()))
  if (destination.secrets.endpoint === remembered.endpoint) return
  await renew(remembered.id, destination)
  rememberPush(remembered.id, destination)
}

/** Calls back when the browser has replaced its subscription while this page is open. Returns what ends that. */
export function onPushReplaced(callback: () => void): () => void {
  if (!('serviceWorker' in navigator)) return () => {}
  const hear = ({ data }: MessageEvent<unknown>) => {
    if (data === 'push-replaced') callback()
  }
  navigator.serviceWorker.addEventListener('message', hear)
  return () => navigator.serviceWorker.removeEventListener('message', hear)
}

async function subscribe(publicKey: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register(worker)
  const { pushManager } = await navigator.serviceWorker.ready
  const kept = await pushManager.getSubscription()
  if (kept && encode(kept.options.applicationServerKey) === publicKey) return kept
  // A browser refuses another key beside the old one.
  await kept?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

async function currentSubscription(): Promise<PushSubscription | null> {
  if (!('serviceWorker' in navigator)) return null
  const registration = await navigator.serviceWorker.getRegistration()
  return (await registration?.pushManager?.getSubscription()) ?? null
}

function describe(subscription: PushSubscription): PushDestination {
  const { endpoint } = subscription
  const [p256dh, auth] = [encode(subscription.getKey('p256dh')), encode(subscription.getKey('auth'))]
  return { settings: { label: browserLabel(navigator.userAgent) }, secrets: { endpoint, p256dh, auth } }
}

function encode(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer()))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function readRemembered(): { id: number; endpoint: string } | null {
  const stored = readStored(deviceKeys.push)
  if (typeof stored !== 'object' || stored === null || !('id' in stored && 'endpoint' in stored)) return null
  const { id, endpoint } = stored
  return typeof id === 'number' && typeof endpoint === 'string' ? { id, endpoint } : null
}

const isApplePhone = () =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  // An iPad says that it is a Mac, which has no touch screen.
  (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)

const isOnHomeScreen = () => window.matchMedia('(display-mode: standalone)').matches

// Those that name others beside themselves come first.
const browsers = [
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Firefox', /(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS|Chromium)\//],
  ['Safari', /Safari\//],
] as const
const systems = [
  ['iPhone', /iPhone|iPod/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['ChromeOS', /CrOS/],
  ['Mac', /Macintosh/],
  ['Linux', /Linux/],
] as const

/** What tells this browser from a member's others, such as `Chrome on Android`. */
function browserLabel(userAgent: string): string {
  const nameIn = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, shape]) => shape.test(userAgent))?.[0]
  const [browser = 'Browser', system] = [nameIn(browsers), nameIn(systems)]
  return system === undefined ? browser : `${browser} on ${system}`
}
