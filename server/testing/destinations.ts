import type { DestinationKind } from '@dealdeck/contract/deliveries'
import { z } from 'zod'
import {
  type AnyDestinationKind,
  type DestinationKindOf,
  destinationKind,
  type SendOutcome,
} from '../src/features/deliveries/kinds/destination-kind.ts'
import type { Message } from '../src/features/deliveries/kinds/message.ts'
import type { Databases } from '../src/platform/database/database.ts'
import { settingField } from '../src/platform/setting-fields.ts'

type Sent = { id: number; secrets: Readonly<Record<string, string>>; message: Message }

/** What the kinds below have sent, and the codes, the newest last; and what they say of it. */
export class FakeServices {
  readonly sent: Sent[] = []
  readonly codes: { id: number; address: unknown; code: string }[] = []
  outcome: SendOutcome = { result: 'sent', messageId: 'm1' }
  unavailable: string | null = null
  /** Thrown instead, as a kind never should. */
  failure: Error | undefined

  /** A kind of each sort under the name of a real one: by nothing, with a signing secret, by a code, and by a link. */
  readonly kinds: readonly AnyDestinationKind[] = [
    this.#kind('ntfy', 'nothing', { placeOf: ({ key = '' }) => key.toLowerCase() }),
    this.#kind('webhook', 'nothing', {
      make: () => ({ secrets: { signing: 'whsec_first' }, shown: 'whsec_first' }),
      rotate: ({ signing = '' }) => ({ secrets: { signing: `${signing}+` }, shown: `${signing}+` }),
    }),
    this.#kind('email', 'code', {
      sendCode: async ({ id, settings }, code) => {
        if (this.failure) throw this.failure
        this.codes.push({ id, address: settings.url, code })
        return this.outcome
      },
    }),
    this.#kind('telegram', 'link', { linkUrl: async (code) => `https://t.example/bot?start=${code}` }),
  ]

  #kind(
    name: DestinationKind,
    confirmed_by: 'nothing' | 'code' | 'link',
    more: Partial<DestinationKindOf<Settings>>,
  ): AnyDestinationKind {
    return destinationKind<Settings>({
      kind: name,
      description: {
        ...{ label: name, help: 'Does what a test says.', steps: ['One step.'], confirmed_by },
        fields: [
          settingField('url', 'Address', 'url', { is_required: true }),
          settingField('key', 'Key', 'secret'),
        ],
      },
      unavailable: () => this.unavailable,
      settings: settingsSchema,
      check: ({ url }, secrets) =>
        url.includes('members') && !secrets.key ? { key: 'is needed for this address' } : null,
      limits: ({ id }) => [{ key: `fake ${id}`, burst: 100, perSecond: 100 }],
      send: async ({ id, secrets }, message) => {
        this.sent.push({ id, secrets, message })
        return this.outcome
      },
      ...more,
    })
  }
}

const settingsSchema = z.strictObject({
  url: z.url('must be an address').default('https://there.example/hook'),
  chat: z.string().optional(),
})
type Settings = { url: string; chat?: string | undefined }

type Given = { owner?: number | null; name?: string; kind?: DestinationKind; is_paused?: boolean }

/** A destination that nothing is wrong with, written straight into the table; returns its id. */
export async function makeDestination(
  databases: Databases,
  { owner = null, name = 'Phone', kind = 'ntfy', is_paused = false }: Given = {},
): Promise<number> {
  const { id } = await databases.durableDb
    .insertInto('destinations')
    .values({
      ...{ owner_id: owner, kind, name, is_paused, state: 'ok' },
      settings: JSON.stringify({ url: 'https://there.example/hook' }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

type Logged = {
  destination: number
  deals?: number[]
  alerts?: number[]
  kind?: 'deal' | 'notice' | 'list' | 'digest'
}

/** A message that was sent, written straight into the tables; returns its id. */
export async function makeDelivery(
  databases: Databases,
  { destination, deals = [], alerts = [], kind = 'deal' }: Logged,
): Promise<number> {
  const { id } = await databases.durableDb
    .insertInto('deliveries')
    .values({ destination_id: destination, kind, state: 'sent', sent_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const deal_id of deals)
    await databases.durableDb
      .insertInto('delivery_deals')
      .values({ delivery_id: id, deal_id, alert_ids: alerts })
      .execute()
  return id
}

/** A saved search of a member, written straight into the table; returns its id. */
export async function makeSearch(
  databases: Databases,
  owner: number,
  { q = 'lantern', name = 'Lanterns', is_shared = false } = {},
): Promise<number> {
  const { id } = await databases.durableDb
    .insertInto('saved_searches')
    .values({ owner_id: owner, name, question: q, sort: null, is_shared, made_at_revision: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
