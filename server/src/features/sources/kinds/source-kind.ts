import type { SettingValue } from '@dealdeck/contract/setting-fields'
import type { KindDescription, SourceKind } from '@dealdeck/contract/sources'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import type { z } from 'zod'
import type { Clock } from '../../../platform/clock.ts'
import type { SafeRequest, SafeResponse } from '../../../platform/outgoing/safe-fetch.ts'

/** Something to import: bytes as they came, or rows under the names that the importer knows. */
export type SourceDocument = {
  body: AsyncIterable<Uint8Array> | Iterable<object> | AsyncIterable<object>
  /** Corrections of the columns, encoding and availability as in the query of an import. */
  map?: string
  encoding?: string
  availability?: string
  /** Where the list lies in a JSON document, such as `$.deals.dr`; found by itself unless given. */
  listPath?: string
  /** It is all that the source says at this time, so that its size can be compared with the last time. */
  isWhole: boolean
  /** It lists all current deals: what it leaves out twice in a row is over. */
  listsAll: boolean
  /** What items usually cost by what the source itself says, by ASIN, for whoever doubts a price; none of it is stored. */
  usual?: ReadonlyMap<string, number>
}

/** What became of a document: counts of rows. */
export type Handed = {
  received: number
  created: number
  updated: number
  unchanged: number
  rejected: number
  held: number
}

/** What may be spent with one key of a service, whichever process spends it. */
export type ServiceBudget = {
  /**
   * Sets `cost` aside for a request that is about to be made. Returns null where that would leave less than `reserve`: when there
   * will be enough, as far as one knows.
   */
  take(cost: number, reserve: number): Promise<{ granted: true } | { granted: false; until: Date }>
  /** What the service says is left, which ends what was set aside for the request it answers. */
  settle(left: { tokens: number; refillPerMinute: number; refillInMs: number }): Promise<void>
}

/** How often a service may be asked that doesn't say it in its answers. */
export type ServicePace = { most: number; perMinute: number }

/** How long what a service says may be kept and shown, by its terms. */
export type Retention = {
  /** Whether its prices may become history. */
  history: boolean
  /** Its deals are hidden so long after they were last seen, and are to be asked for again so long after, in hours. */
  hiddenAfterHours: number
  refreshAfterHours: number
}

/** What a kind can do while it is asked. */
export type RunContext = {
  marketplace: Marketplace
  clock: Clock
  signal: AbortSignal
  secrets: Readonly<Record<string, string>>
  /** Where the last run has ended, as it said; null before the first. Checked by the kind: another version may have written it. */
  position: unknown
  /** Nothing is stored: whoever asks wants to see ten rows, and nothing more is to be spent. */
  isTry: boolean
  /** What stays the same is to be imported again from time to time, which confirms its prices. Not while it waits as a whole for a person. */
  confirms: boolean
  /** Asks an address, when it is its host's turn and with our name. `pauseMs` is the pace that a service allows its callers. */
  ask(url: string, request: SafeRequest & { pauseMs?: number }): Promise<SafeResponse>
  /** Has a document imported; what is doubtful of it waits for a person. When it returns, all of it is on disk. */
  hand(document: SourceDocument): Promise<Handed>
  /** From here on a run that is broken off goes on. */
  savePosition(position: unknown): Promise<void>
  /**
   * The budget of a key, by whatever tells it from others. Of a service that says what is left `pace` is left out; of one that doesn't we keep
   * count ourselves, with so many requests at once and so many more a minute.
   */
  budget(key: string, pace?: ServicePace): ServiceBudget
  /** A token that the service has lent, shared by all processes: asked for by `renew` where none lasts, or `isRefused` says that the last one doesn't. */
  token(
    key: string,
    renew: () => Promise<{ token: string; seconds: number }>,
    isRefused?: string,
  ): Promise<string>
}

/** How a run has ended. Texts are shown to administrators: what is wrong, and what to do. */
export type RunOutcome = {
  state: 'done' | 'unchanged' | 'waiting' | 'not_eligible' | 'failed'
  text?: string
  notes?: string[]
  cost?: string
  /** Not to be asked again before: what the service says. */
  notBefore?: Date
  /** Trying again soon helps nothing: only whoever has set it up can. */
  isPermanent?: boolean
  /** Several lists in the document, one of which is to be named. */
  lists?: { path: string; rows: number }[]
}

/** One kind of sources: a folder of this name, and a line in the list of kinds. */
export type SourceKindOf<S> = {
  kind: SourceKind
  description: Omit<KindDescription, 'kind' | 'allows_history'>
  /** What its service forbids, whatever is set; without it everything may be kept. */
  retention?: Retention
  /** The setting that is an address to which secrets go; with another host they are to be given again. Left out where that is always the same. */
  addressSetting?: string
  /** Reads the settings of a form, and refuses those that can't work with the name of the field. */
  settings: z.ZodType<S>
  /** What is wrong with settings and secrets together, by field; null: nothing. */
  check?(settings: S, secretNames: readonly string[]): Record<string, string> | null
  /** What one run costs, in words; null: nothing. */
  costOf?(settings: S): string | null
  /** Asks it once, from where the last run has ended. Throws a FetchError, which is a failure, or whatever the database throws. */
  run(settings: S, context: RunContext): Promise<RunOutcome>
}

/** A kind whose settings are its own affair. */
export type AnySourceKind = Omit<SourceKindOf<never>, 'settings' | 'check' | 'costOf' | 'run'> & {
  /** Throws a ZodError. */
  bind(settings: Record<string, SettingValue>): BoundKind
}

/** A kind with settings that it has read. */
export type BoundKind = {
  settings: Record<string, SettingValue>
  check(secretNames: readonly string[]): Record<string, string> | null
  cost: string | null
  run(context: RunContext): Promise<RunOutcome>
}

/** Makes a kind for the list of kinds. */
export function sourceKind<S extends Record<string, SettingValue>>(kind: SourceKindOf<S>): AnySourceKind {
  return {
    kind: kind.kind,
    description: kind.description,
    ...(kind.retention && { retention: kind.retention }),
    ...(kind.addressSetting !== undefined && { addressSetting: kind.addressSetting }),
    bind: (given) => {
      const settings = kind.settings.parse(given)
      return {
        settings,
        check: (secretNames) => kind.check?.(settings, secretNames) ?? null,
        cost: kind.costOf?.(settings) ?? null,
        run: (context) => kind.run(settings, context),
      }
    },
  }
}
