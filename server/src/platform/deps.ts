import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { BuiltInAccount } from './accounts/built-in-accounts.ts'
import type { Clock } from './clock.ts'
import type { Databases } from './database/database.ts'
import type { SecretBox } from './secret-box.ts'
import type { Settings } from './settings.ts'

/** Everything the application is built from; tests hand in their own. */
export type AppDeps = {
  settings: Settings
  databases: Databases
  clock: Clock
  /** Seals what the database must not show. */
  secretBox: SecretBox
  log: Logger
  /** Who may sign in while the database is away; nobody unless given. */
  builtInAccounts?: readonly BuiltInAccount[]
  /** Where the built web app is, with a slash at the end; the checkout's own unless given. */
  webFolder?: string
  /** The least time a sign-in is answered in, in milliseconds; 500 unless given. */
  signInFloorMs?: number | undefined
  /** How long the database may be silent before it counts as away, in milliseconds; 600 unless given. */
  databaseSilenceMs?: number | undefined
  /** Aborted when the process is about to end, while it still answers everybody. */
  ending?: AbortSignal
}

/** What a handler of the contract knows of its call. */
export type CallContext = { request: FastifyRequest; reply: FastifyReply }
