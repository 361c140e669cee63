import { randomBytes } from 'node:crypto'
import type { DestinationKind } from '@dealdeck/contract/deliveries'
import type { Insertable } from 'kysely'
import { pino } from 'pino'
import { z } from 'zod'
import { queueDeals } from '../src/features/deliveries/actions.ts'
import {
  type AnyDestinationKind,
  destinationKind,
  type SendLimit,
  type SendOutcome,
} from '../src/features/deliveries/kinds/destination-kind.ts'
import type { Message } from '../src/features/deliveries/kinds/message.ts'
import { webhook } from '../src/features/deliveries/kinds/webhook/webhook.ts'
import { DeliveryFigures } from '../src/features/deliveries/sending/figures.ts'
import { Outbox } from '../src/features/deliveries/sending/outbox.ts'
import {
  type GivenDeps,
  type OutboxDeps,
  withBatches,
} from '../src/features/deliveries/sending/outbox-deps.ts'
import { systemClock } from '../src/platform/clock.ts'
import type { Databases } from '../src/platform/database/database.ts'
import type { Tables } from '../src/platform/database/tables.ts'
import { makeSafeFetch } from '../src/platform/outgoing/make-safe-fetch.ts'
import { SecretBox } from '../src/platform/secret-box.ts'
import { readSettings } from '../src/platform/settings.ts'
import { whenDone } from './cleanup.ts'
import { makeDeal } from './factories.ts'

const said = z.object({ id: z.string(), seconds: z.number(), url: z.string() }).partial()

/** Whether a connection ended before its answer: what was sent on it may have arrived. */
async function post(url: string, body: object, signal: AbortSignal): Promise<SendOutcome> {
  let response: Response
  try {
    response = await fetch(url, { method: 'POST', body: JSON.stringify(body), redirect: 'manual', signal })
  } catch {
    signal.throwIfAborted()
    return { result: 'unknown', text: 'The connection ended.' }
  }
  const { status } = response
  const { id = null, seconds = 1, url: moved = '' } = said.parse(JSON.parse((await response.text()) || '{}'))
  if (status === 200) return { result: 'sent', status, messageId: id }
  if (status === 429) return { result: 'later', status, afterMs: seconds * 1_000, text: 'Too many.' }
  if (status === 308) return { result: 'moved', status, settings: { url: moved }, text: 'It has moved.' }
  if (status === 400) return { result: 'refused', status, text: 'It is refused.' }
  if (status === 404) return { result: 'lost', status, text: 'The message is not there.' }
  if (status === 410) return { result: 'gone', status, text: 'It is gone.' }
  return { result: 'failed', status, text: `It answered ${status}.` }
}

/** A kind under the name of a real one, for receivers that answer as a test says; one message an address has its own id. */
export function receiverKind(kind: DestinationKind, limits: readonly SendLimit[] = []): AnyDestinationKind {
  return destinationKind({
    kind,
    description: { label: 'Test', help: 'Sends.', steps: [], fields: [], confirmed_by: 'nothing' },
    unavailable: () => null,
    settings: z.strictObject({ url: z.string() }),
    ...(kind === webhook.kind && webhook.mostDeals !== undefined && { mostDeals: webhook.mostDeals }),
    limits: () => limits,
    send: ({ settings }, message, _, { signal }) => post(`${settings.url}/post`, message, signal),
    // Apprise can't change a message, nor can it here.
    ...(kind !== 'apprise' && {
      edit: (
        { settings }: { settings: { url: string } },
        id: string,
        message: Message,
        _: object,
        context: { signal: AbortSignal },
      ) => post(`${settings.url}/edit/${id}`, message, context.signal),
    }),
  })
}

/** What sending needs, with kinds for receivers; matches and peace as a test says. */
export function testOutbox(databases: Databases, given: Partial<GivenDeps> = {}): OutboxDeps {
  const settings = readSettings({
    ...{ FETCH_ALLOW: '127.0.0.1/32', PUBLIC_URL: 'https://deals.example' },
    SECRET_KEY: randomBytes(32).toString('base64'),
  })
  return withBatches({
    ...{ databases, settings, clock: systemClock, figures: new DeliveryFigures() },
    log: pino({ level: 'warn' }, { write: (line: string) => console.error(line) }),
    secretBox: new SecretBox(settings),
    fetch: makeSafeFetch({ allow: settings.FETCH_ALLOW, publicUrl: settings.PUBLIC_URL }),
    kinds: [receiverKind('webhook'), receiverKind('apprise'), receiverKind('discord')],
    mayBeSent: () => null,
    stillMatches: async (_, deals) => deals.map(() => true),
    tell: () => undefined,
    ...given,
  })
}

/** An outbox that is at work until the test is done. */
export function startOutbox(deps: OutboxDeps): Outbox {
  const outbox = new Outbox(deps)
  whenDone(() => outbox.stop())
  outbox.start()
  return outbox
}

/** A destination that messages are posted to at this address, written straight into the table. */
export async function makeDestination(
  databases: Databases,
  url: string,
  given: Partial<Insertable<Tables['destinations']>> = {},
): Promise<number> {
  const { id } = await databases.durableDb
    .insertInto('destinations')
    .values({ kind: 'webhook', name: 'Mine', state: 'ok', settings: JSON.stringify({ url }), ...given })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** A match of a new deal, or of the one given, queued as the matcher does. Returns ids of the delivery, its deal and its episode. */
export async function queueMatch(
  databases: Databases,
  destinationId: number,
  given: Partial<Parameters<typeof queueDeals>[1][number]> = {},
) {
  const dealId = given.dealId ?? (await makeDeal(databases)).id
  const { rows } = await databases.durablePool.query<{ id: number; price: number }>(
    'insert into alert_episodes (destination_id, deal_id, price) select $1, id, price from deals where id = $2 returning id, price',
    [destinationId, dealId],
  )
  const { id: episodeId = 0, price = null } = rows[0] ?? {}
  const match = {
    destinationId,
    dealId,
    episodeId,
    post: 1,
    alertIds: [],
    isUrgent: false,
    price,
    hold: null,
  }
  const client = await databases.durablePool.connect()
  try {
    await client.query('begin')
    await queueDeals(client, [{ ...match, ...given }])
    await client.query('commit')
  } finally {
    client.release()
  }
  const found = await databases.db
    .selectFrom('delivery_deals')
    .select('delivery_id as id')
    .where('episode_id', '=', episodeId)
    .executeTakeFirstOrThrow()
  return { id: found.id, dealId, episodeId }
}

/** The row of a delivery. */
export function readDelivery(databases: Databases, id: number) {
  return databases.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}
