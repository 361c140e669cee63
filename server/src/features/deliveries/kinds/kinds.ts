import { appriseKind } from './apprise/apprise.ts'
import type { AnyDestinationKind } from './destination-kind.ts'
import { discordKind } from './discord/discord.ts'
import { email } from './email/email.ts'
import { ntfyKind } from './ntfy/ntfy.ts'
import { telegramKind } from './telegram/telegram.ts'
import { webhook } from './webhook/webhook.ts'
import { webpush } from './webpush/webpush.ts'

/** Every kind of destinations, in the order in which they are offered; a new one is its folder and its place here. */
export const kinds: readonly AnyDestinationKind[] = [
  discordKind,
  telegramKind(),
  webpush,
  email,
  ntfyKind,
  webhook,
  appriseKind,
]
