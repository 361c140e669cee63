import type { DestinationDescription, DestinationKind } from '@dealdeck/contract/deliveries'
import type { SettingValue } from '@dealdeck/contract/setting-fields'
import type { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { Databases } from '../../../platform/database/database.ts'
import type { SafeFetch } from '../../../platform/outgoing/safe-fetch.ts'
import type { SecretBox } from '../../../platform/secret-box.ts'
import type { Settings } from '../../../platform/settings.ts'
import type { Message } from './message.ts'

/** How often something may be sent under a key, such as one webhook or one bot: `burst` at once, then `perSecond`. */
export type SendLimit = { key: string; burst: number; perSecond: number }

/** What became of sending. Texts are shown to members: what is wrong, and what to do; never a secret. */
export type SendOutcome = {
  status?: number
  /** What the service said, shortened; only of public services. */
  answer?: string
  /** What the service says of its limits: nothing more under this key for so long, whoever sends. */
  limits?: readonly { key: string; blockedMs: number }[]
} & (
  | { result: 'sent'; messageId: string | null }
  /** The service wants it later; costs no attempt. `isOfOneMessage`: it takes others meanwhile. */
  | { result: 'later'; afterMs: number; text: string; isOfOneMessage?: true }
  /** Trying again may help. */
  | { result: 'failed'; text: string }
  /** It may have arrived: the connection ended before the answer. */
  | { result: 'unknown'; text: string }
  /** This message is refused for good; others may be sent. */
  | { result: 'refused'; text: string }
  /** Of an edit: the message isn't there any more, or can't be changed any more. Nothing is sent in its place. */
  | { result: 'lost'; text: string }
  /** Nothing can be sent there any more. */
  | { result: 'gone'; text: string }
  /** The destination has other settings from now on, with which it is tried again at once. */
  | { result: 'moved'; settings: Record<string, SettingValue>; text: string }
)

/** What kinds need of the application. */
export type KindDeps = {
  databases: Databases
  clock: Clock
  settings: Settings
  fetch: SafeFetch
  secretBox: SecretBox
}

/** A destination as its kind sees it. */
export type Target<S> = {
  id: number
  settings: S
  secrets: Readonly<Record<string, string>>
  /** Whether administrators have set it up: then networks of FETCH_ALLOW may be reached. */
  isGroup: boolean
}

export type SendContext = {
  /** The member's, or the group's: in which times of day are said. */
  timeZone: string
  signal: AbortSignal
}

/** One kind of destinations: a folder of this name, and a line in the list of kinds. */
export type DestinationKindOf<S> = {
  kind: DestinationKind
  description: Omit<DestinationDescription, 'kind' | 'can_edit' | 'unavailable'>
  /** Why it can't be used here, and what the operator has to do; null: it can. */
  unavailable(deps: KindDeps): string | null
  /** Reads the settings of a form, and refuses those that can't work with the name of the field. */
  settings: z.ZodType<S>
  /** What is wrong with settings and secrets together, by field; null: nothing. `secrets` are those that are given now. */
  check?(
    settings: S,
    secrets: Readonly<Record<string, string>>,
    secretNames: readonly string[],
  ): Record<string, string> | null
  /** Where secrets lead to, however they are written: two with the same settings that lead there would tell everything twice. */
  placeOf?(secrets: Readonly<Record<string, string>>): string
  /** Settings that linking writes. They are never taken from a form, where anybody could name a chat of somebody else's. */
  linkedSettings?: readonly string[]
  /** An address that sends the code which links a destination; null where none is known at the moment. */
  linkUrl?(code: string, deps: KindDeps, context: Pick<SendContext, 'signal'>): Promise<string | null>
  /** Secrets that the server makes for a new destination; `shown` is shown once. */
  make?(): { secrets: Record<string, string>; shown: string | null }
  /** Other secrets in place of those that the server made, the old ones of which still hold for a while; `shown` is shown once. */
  rotate?(
    secrets: Readonly<Record<string, string>>,
    now: Date,
  ): { secrets: Record<string, string>; shown: string }
  /** Sends the code that confirms a destination to where its messages will go. */
  sendCode?(target: Target<S>, code: string, deps: KindDeps, context: SendContext): Promise<SendOutcome>
  /** Deals of a list that a message may name, where these are more than people would read. */
  mostDeals?: number
  limits(target: Target<S>, deps: KindDeps): readonly SendLimit[]
  /** Sends a message. Whatever goes wrong is a result; only `signal` throws. */
  send(target: Target<S>, message: Message, deps: KindDeps, context: SendContext): Promise<SendOutcome>
  /** Makes a message that was sent say something newer; kinds without it send nothing when a price changes. */
  edit?(
    target: Target<S>,
    messageId: string,
    message: Message,
    deps: KindDeps,
    context: SendContext,
  ): Promise<SendOutcome>
}

/** A kind whose settings are its own affair. */
export type AnyDestinationKind = Omit<
  DestinationKindOf<never>,
  'settings' | 'check' | 'sendCode' | 'limits' | 'send' | 'edit'
> & {
  canEdit: boolean
  /** Throws a ZodError. */
  bind(settings: Record<string, SettingValue>): BoundDestination
}

/** A kind with settings that it has read. */
export type BoundDestination = {
  settings: Record<string, SettingValue>
  check(
    secrets: Readonly<Record<string, string>>,
    secretNames: readonly string[],
  ): Record<string, string> | null
  sendCode:
    | ((
        target: Omit<Target<never>, 'settings'>,
        code: string,
        deps: KindDeps,
        context: SendContext,
      ) => Promise<SendOutcome>)
    | undefined
  limits(target: Omit<Target<never>, 'settings'>, deps: KindDeps): readonly SendLimit[]
  send(
    target: Omit<Target<never>, 'settings'>,
    message: Message,
    deps: KindDeps,
    context: SendContext,
  ): Promise<SendOutcome>
  edit:
    | ((
        target: Omit<Target<never>, 'settings'>,
        messageId: string,
        message: Message,
        deps: KindDeps,
        context: SendContext,
      ) => Promise<SendOutcome>)
    | undefined
}

/** Makes a kind for the list of kinds. */
export function destinationKind<S extends Record<string, SettingValue>>(
  kind: DestinationKindOf<S>,
): AnyDestinationKind {
  const { settings: schema, check, sendCode, limits, send, edit, ...rest } = kind
  return {
    ...rest,
    canEdit: edit !== undefined,
    bind: (given) => {
      const settings = schema.parse(given)
      return {
        settings,
        check: (secrets, names) => check?.(settings, secrets, names) ?? null,
        sendCode:
          sendCode &&
          ((target, code, deps, context) => sendCode({ ...target, settings }, code, deps, context)),
        limits: (target, deps) => limits({ ...target, settings }, deps),
        send: (target, message, deps, context) => send({ ...target, settings }, message, deps, context),
        edit:
          edit &&
          ((target, id, message, deps, context) => edit({ ...target, settings }, id, message, deps, context)),
      }
    },
  }
}
