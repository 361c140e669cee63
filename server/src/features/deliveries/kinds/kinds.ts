import type { AnyDestinationKind } from './destination-kind.ts'
import { email } from './email/email.ts'
import { webhook } from './webhook/webhook.ts'
import { webpush } from './webpush/webpush.ts'

/** Every kind of destinations, in the order in which they are offered; a new one is its folder and its place here. */
export const kinds: readonly AnyDestinationKind[] = [email, webpush, webhook]
