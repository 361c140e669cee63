import { randomBytes } from 'node:crypto'
import type { SourceKind } from '@dealdeck/contract/sources'
import { pino } from 'pino'
import { z } from 'zod'
import {
  type AnySourceKind,
  type RunContext,
  type RunOutcome,
  sourceKind,
} from '../src/features/sources/kinds/source-kind.ts'
import { runSource } from '../src/features/sources/running/run.ts'
import { type SourceDeps, sourceDeps } from '../src/features/sources/running/source-deps.ts'
import { systemClock } from '../src/platform/clock.ts'
import type { Databases } from '../src/platform/database/database.ts'
import { SecretBox } from '../src/platform/secret-box.ts'
import { readSettings } from '../src/platform/settings.ts'
import { nextAsin } from './factories.ts'

/** A kind under the name of a real one that does what a test says; it has a setting and a secret. */
export function kindThat(
  run: (context: RunContext) => Promise<RunOutcome>,
  retention?: AnySourceKind['retention'],
): AnySourceKind {
  const field = {
    ...{ help: null, is_required: true, is_advanced: false, initial: null, choices: [] },
    ...{ least: null, most: null, unit: null },
  }
  return sourceKind({
    kind: 'address',
    addressSetting: 'url',
    ...(retention && { retention }),
    description: {
      ...{ label: 'Test', help: 'Does what a test says.' },
      fields: [
        { ...field, name: 'url', label: 'Address', type: 'url' },
        { ...field, name: 'key', label: 'Key', type: 'secret' },
      ],
    },
    settings: z.strictObject({ url: z.url('must be an address').default('https://deals.example/list') }),
    check: ({ url }, names) =>
      url.includes('members') && !names.includes('key') ? { key: 'is needed for this address' } : null,
    run: (_, context) => run(context),
  })
}

/** Seals so that a test sees whether it was. */
export const testBox: SourceDeps['secrets'] = {
  seal: async (text, place) => `${place}:${Buffer.from(text).toString('base64')}`,
  open: async (sealed, place) => {
    if (!sealed.startsWith(`${place}:`)) throw new Error('Sealed with another key')
    return Buffer.from(sealed.slice(place.length + 1), 'base64').toString()
  },
}

/** What sources need, with this kind as the only one. */
export function testSources(
  databases: Databases,
  run: (context: RunContext) => Promise<RunOutcome>,
  given: Partial<SourceDeps> = {},
): SourceDeps {
  const log = pino({ level: 'error' }, { write: (line: string) => console.error(line) })
  const settings = readSettings({
    ...{ FETCH_ALLOW: '127.0.0.1/32', SECRET_KEY: randomBytes(32).toString('base64') },
  })
  const secretBox = new SecretBox(settings)
  const application = { databases, clock: systemClock, log, settings, secretBox }
  return sourceDeps(application, { kinds: [kindThat(run)], secrets: testBox, ...given })
}

type Given = {
  kind?: SourceKind
  name?: string
  interval_from?: number
  trusted_rules?: string[]
  refused_rules?: string[]
  keeps_history?: boolean
}
let counter = 0

/** A source that is due, written straight into the table. */
export async function makeSource(databases: Databases, given: Given = {}): Promise<number> {
  counter += 1
  const { id } = await databases.durableDb
    .insertInto('sources')
    .values({
      ...{
        kind: 'address',
        name: `Source ${counter}`,
        settings: '{}',
        interval_from: 15,
        interval_to: 1_440,
      },
      ...{ keeps_history: true, may_leave: ['price', 'picture', 'title'], is_paused: false },
      ...{ next_run_at: new Date(Date.now() - 1_000), ...given },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Asks a source now, whenever it is due, and returns the run's row. */
export async function runNow(deps: SourceDeps, id: number) {
  const { databases } = deps
  await databases.durablePool.query(
    `update sources set next_run_at = now() - interval '1 second' where id = $1`,
    [id],
  )
  const ran = await runSource(deps, id, new AbortController().signal)
  if (!ran) throw new Error('It is another’s')
  return databases.db
    .selectFrom('source_runs')
    .selectAll()
    .where('id', '=', ran.runId)
    .executeTakeFirstOrThrow()
}

/** Rows of deals as a list has them; the price of each by its place. */
export const rowsOf = (asins: readonly string[], price: (at: number) => number = () => 20) =>
  asins.map((asin, at) => ({
    ...{ asin, title: `Folding lantern for camping ${asin}`, price: price(at), availability: 'In stock' },
  }))

/** A row that waits, written straight into the table; returns its id. */
export async function makeHeldRow(
  databases: Databases,
  sourceId: number,
  { asin = nextAsin(), price = 1, rule = 'price_low' } = {},
): Promise<number> {
  const nothing = {
    ...{
      original_price: null,
      brand: null,
      category: null,
      condition: null,
      rating: null,
      review_count: null,
    },
    ...{ image_url: null, prime_eligible: null, posted_to_discord: null, first_seen: null, ends_at: null },
    ...{ discord_timestamp: null, is_over: null, has_original_price: false, has_availability: true },
  }
  const title = `Folding lantern for camping ${asin}`
  const deal = { ...nothing, asin, title, price, availability: 'In stock', observed: Date.now() * 1_000 }
  const { id } = await databases.durableDb
    .insertInto('quarantine')
    .values({
      ...{ source_id: sourceId, run_id: null, asin, rule, reason: 'A test holds it.', old: null },
      ...{ new: JSON.stringify({ title, price }), deal: JSON.stringify(deal) },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
