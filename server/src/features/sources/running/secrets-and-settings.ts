import type { Source } from '@dealdeck/contract/sources'
import { z } from 'zod'
import { AppError } from '../../../platform/errors.ts'
import { invalidInput } from '../../../platform/http/http-errors.ts'
import { secretPlaces } from '../../../platform/secret-box.ts'
import type { AnySourceKind, BoundKind } from '../kinds/source-kind.ts'
import type { SourceDeps } from './source-deps.ts'

/** The kind of this name. Throws INVALID_INPUT for one that this version doesn't have. */
export function kindOf({ kinds }: Pick<SourceDeps, 'kinds'>, name: string): AnySourceKind {
  const kind = kinds.find((one) => one.kind === name)
  if (kind) return kind
  throw new AppError('INVALID_INPUT', `This version of Dealdeck knows no sources of the kind '${name}'.`, {
    fields: { kind: 'is not known here' },
  })
}

/** A kind with these settings. Throws INVALID_INPUT that names each wrong one as `settings.<name>`, or `secrets.<name>`. */
export function bindSettings(
  deps: Pick<SourceDeps, 'kinds'>,
  name: string,
  settings: Source['settings'],
  secretNames: readonly string[],
): BoundKind {
  const kind = kindOf(deps, name)
  try {
    const bound = kind.bind(settings)
    const secrets = new Set(secretsOf(kind))
    const wrong = Object.entries(bound.check(secretNames) ?? {})
    if (wrong.length === 0) return bound
    throw invalidInput(
      wrong.map(([field, message]) => ({
        path: [secrets.has(field) ? 'secrets' : 'settings', field],
        message,
      })),
    )
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw invalidInput(error.issues.map((issue) => ({ ...issue, path: ['settings', ...issue.path] })))
  }
}

const secretsOf = ({ description }: AnySourceKind): string[] =>
  description.fields.filter(({ type }) => type === 'secret').map(({ name }) => name)

/** The secrets after some were given; '' removes one. Throws INVALID_INPUT for one that the kind doesn't have. */
export function keptSecrets(
  kind: AnySourceKind,
  kept: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = new Set(secretsOf(kind))
  const unknown = Object.keys(given).filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw invalidInput(unknown.map((name) => ({ path: ['secrets', name], message: 'is not known here' })))
  return Object.fromEntries(Object.entries({ ...kept, ...given }).filter(([, value]) => value !== ''))
}

/**
 * Refuses to send stored secrets to another host than they were entered for, where whoever owns that could read them. Throws INVALID_INPUT
 * that names each as `secrets.<name>`; those that are `given` anew, or removed, may go there.
 */
export function refuseElsewhere(
  { addressSetting }: AnySourceKind,
  kept: { settings: Source['settings']; secrets: Readonly<Record<string, string>> },
  next: { settings: Source['settings']; given: Readonly<Record<string, string>> },
): void {
  if (addressSetting === undefined) return
  const originOf = (address: unknown) =>
    URL.canParse(String(address)) ? new URL(String(address)).origin : null
  const [before, after] = [originOf(kept.settings[addressSetting]), originOf(next.settings[addressSetting])]
  const stays = Object.keys(kept.secrets).filter((name) => !Object.hasOwn(next.given, name))
  if (before === after || stays.length === 0) return
  const message = 'must be entered again, as the address is on another server'
  throw invalidInput(stays.map((name) => ({ path: ['secrets', name], message })))
}

/** Secrets as they are stored; null where there is none. */
export async function sealSecrets(
  { secrets }: Pick<SourceDeps, 'secrets'>,
  id: number,
  values: Record<string, string>,
): Promise<string | null> {
  return Object.keys(values).length === 0
    ? null
    : secrets.seal(JSON.stringify(values), secretPlaces.source(id))
}

const secretValues = z.record(z.string(), z.string())

/** The secrets of a source. Throws UNPROCESSABLE where they were sealed with another key. */
export async function openSecrets(
  { secrets }: Pick<SourceDeps, 'secrets'>,
  { id, secrets: stored }: { id: number; secrets: string | null },
): Promise<Record<string, string>> {
  if (stored === null) return {}
  try {
    return secretValues.parse(JSON.parse(await secrets.open(stored, secretPlaces.source(id))))
  } catch (cause) {
    const fields = { secrets: 'can not be read' }
    const message = 'Its secrets can not be read: they were kept with another key. Please enter them again.'
    throw new AppError('UNPROCESSABLE', message, { fields, cause })
  }
}
