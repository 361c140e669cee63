import { isIP } from 'node:net'
import type { Destination } from '@dealdeck/contract/deliveries'
import { z } from 'zod'
import { AppError } from '../../../platform/errors.ts'
import { invalidInput } from '../../../platform/http/http-errors.ts'
import { reachOf } from '../../../platform/outgoing/public-addresses.ts'
import { type SecretBox, secretPlaces } from '../../../platform/secret-box.ts'
import type { AnyDestinationKind, BoundDestination } from '../kinds/destination-kind.ts'

type Values = Destination['settings']
type Secrets = Readonly<Record<string, string>>

/** The kind of this name. Throws INVALID_INPUT for one that this version doesn't have. */
export function kindOf(kinds: readonly AnyDestinationKind[], name: string): AnyDestinationKind {
  const kind = kinds.find((one) => one.kind === name)
  if (kind) return kind
  const message = `This version of Dealdeck knows no destinations of the kind '${name}'.`
  throw new AppError('INVALID_INPUT', message, { fields: { kind: 'is not known here' } })
}

/**
 * The settings after some were given: of those in the kind's form. Others the kind itself has stored, such as the chat that was linked, and they
 * stay. Throws INVALID_INPUT that names each unknown one as `settings.<name>`.
 */
export function mergedSettings(kind: AnyDestinationKind, stored: Values, given: Values): Values {
  const known = new Set(fieldsOf(kind, (type) => type !== 'secret'))
  refuseUnknown('settings', Object.keys(given), known)
  const kept = Object.entries(stored).filter(([name]) => !known.has(name))
  return { ...Object.fromEntries(kept), ...given }
}

/** The secrets after some were given; '' removes one. Throws INVALID_INPUT for one that the kind's form doesn't have. */
export function mergedSecrets(
  kind: AnyDestinationKind,
  stored: Secrets,
  given: Secrets,
): Record<string, string> {
  refuseUnknown('secrets', Object.keys(given), new Set(secretFields(kind)))
  return Object.fromEntries(Object.entries({ ...stored, ...given }).filter(([, value]) => value !== ''))
}

function refuseUnknown(part: string, names: readonly string[], known: ReadonlySet<string>): void {
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length === 0) return
  throw invalidInput(unknown.map((name) => ({ path: [part, name], message: 'is not known here' })))
}

/** A kind with these settings and secrets. Throws INVALID_INPUT that names each wrong one as `settings.<name>` or `secrets.<name>`. */
export function bindDestination(
  kind: AnyDestinationKind,
  settings: Values,
  secrets: Secrets,
): BoundDestination {
  const names = new Set(secretFields(kind))
  try {
    const bound = kind.bind(settings)
    const wrong = Object.entries(bound.check(secrets, Object.keys(secrets)) ?? {})
    if (wrong.length === 0) return bound
    throw invalidInput(
      wrong.map(([field, message]) => ({
        path: [names.has(field) ? 'secrets' : 'settings', field],
        message,
      })),
    )
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw invalidInput(error.issues.map((issue) => ({ ...issue, path: ['settings', ...issue.path] })))
  }
}

/**
 * Refuses to send stored secrets to another server than they were entered for, where whoever owns that could read them. Throws INVALID_INPUT
 * that names each as `secrets.<name>`; those that are `given` anew, or removed, may go there, and those that the server made go nowhere.
 */
export function refuseElsewhere(
  kind: AnyDestinationKind,
  stored: { settings: Values; secrets: Secrets },
  next: { settings: Values; given: Secrets },
): void {
  const moves = fieldsOf(kind, (type) => type === 'url').some(
    (name) => originOf(stored.settings[name]) !== originOf(next.settings[name]),
  )
  const entered = new Set(secretFields(kind))
  const stays = Object.keys(stored.secrets).filter(
    (name) => entered.has(name) && !Object.hasOwn(next.given, name),
  )
  if (!moves || stays.length === 0) return
  const message = 'must be entered again, as the address is on another server'
  throw invalidInput(stays.map((name) => ({ path: ['secrets', name], message })))
}

/**
 * Refuses an address that is written as an IP address which nothing is sent to; names are judged when something is sent. `allow` is
 * FETCH_ALLOW, which holds for the group. Throws INVALID_INPUT that names each as `settings.<name>`.
 */
export function refusePrivate(
  kind: AnyDestinationKind,
  settings: Values,
  { allow, isGroup }: { allow: readonly string[]; isGroup: boolean },
): void {
  const reach = reachOf(allow)
  const wrong = fieldsOf(kind, (type) => type === 'url').filter((name) => {
    const host = URL.parse(String(settings[name]))?.hostname.replace(/^\[|\]$/g, '') ?? ''
    if (isIP(host) === 0) return false
    const { isPublic, isAllowed } = reach(host)
    return !isPublic && !(isGroup && isAllowed)
  })
  if (wrong.length === 0) return
  const message = isGroup
    ? 'is not a public address, and FETCH_ALLOW does not name its network'
    : 'must be an address that anybody on the internet can reach'
  throw invalidInput(wrong.map((name) => ({ path: ['settings', name], message })))
}

const originOf = (address: unknown): string | null =>
  URL.canParse(String(address)) ? new URL(String(address)).origin : null

const fieldsOf = ({ description }: AnyDestinationKind, has: (type: string) => boolean): string[] =>
  description.fields.filter(({ type }) => has(type)).map(({ name }) => name)

/** Names of the secrets in a kind's form; others the server has made. */
export const secretFields = (kind: AnyDestinationKind) => fieldsOf(kind, (type) => type === 'secret')

type Box = { secretBox: Pick<SecretBox, 'seal' | 'open'> }

/** Secrets as they are stored; null where there is none. */
export async function sealSecrets({ secretBox }: Box, id: number, values: Secrets): Promise<string | null> {
  if (Object.keys(values).length === 0) return null
  return secretBox.seal(JSON.stringify(values), secretPlaces.destination(id))
}

const secretValues = z.record(z.string(), z.string())

/** The secrets of a destination. Throws UNPROCESSABLE where they were sealed with a key that isn't there. */
export async function openSecrets(
  { secretBox }: Box,
  { id, secrets }: { id: number; secrets: string | null },
): Promise<Record<string, string>> {
  if (secrets === null) return {}
  try {
    return secretValues.parse(JSON.parse(await secretBox.open(secrets, secretPlaces.destination(id))))
  } catch (cause) {
    const fields = { secrets: 'can not be read' }
    const message = 'Its secrets can not be read: they were kept with another key. Please enter them again.'
    throw new AppError('UNPROCESSABLE', message, { fields, cause })
  }
}
