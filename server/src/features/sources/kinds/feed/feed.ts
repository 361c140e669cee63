import { z } from 'zod'
import { TimeSlice } from '../../../../platform/time-slice.ts'
import {
  availabilityField,
  availabilitySetting,
  listsAllField,
  plainField,
  switchSetting,
  urlSetting,
} from '../document-settings.ts'
import { handOver } from '../hand-over.ts'
import { politeGet, Received } from '../polite-get.ts'
import { type RunContext, type RunOutcome, sourceKind } from '../source-kind.ts'
import type { FeedRow } from './feed-entry.ts'
import { readFeed } from './read-feed.ts'

const limits = { packedBytes: 15 * 1024 ** 2, bytes: 15 * 1024 ** 2, totalMs: 60_000 }
const accept =
  'application/rss+xml, application/atom+xml, application/rdf+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5'

const settings = z.object({
  ...{ url: urlSetting, availability: availabilitySetting, lists_all: switchSetting },
})
type Settings = z.infer<typeof settings>

/** A feed of deals, of any of the formats that feeds have. */
export const feed = sourceKind<Settings>({
  kind: 'feed',
  addressSetting: 'url',
  description: {
    label: 'Feed',
    help: 'An RSS, Atom or JSON feed whose entries are deals: each with a link to its item, and its price in words.',
    fields: [
      { ...plainField, name: 'url', label: 'Address of the feed', type: 'url', is_required: true },
      ...[availabilityField, listsAllField],
    ],
  },
  settings,
  run,
})

async function run(given: Settings, context: RunContext): Promise<RunOutcome> {
  const { url, ...reading } = given
  const received = await politeGet(context, { url, accept, limits, reading })
  if (!(received instanceof Received)) return received
  const bytes = await received.bytes()
  if (!bytes) return received.end({ state: 'unchanged' })
  const { marketplace, clock, signal } = context
  const document = { bytes, contentType: received.contentType, domain: marketplace.domain, now: clock() }
  const read = await readFeed(document, signal)
  if ('problem' in read) return { state: 'failed', text: `${read.problem} Earlier deals stay.` }
  const { notes, isWhole } = read
  received.restsFor(read.ttl)
  if (read.pages.length === 0)
    return received.end({ state: 'done', notes: [...notes, 'The feed has no entries.'] })
  const { outcome } = await handOver(context, {
    ...{ body: rowsOf(read.pages), availability: given.availability },
    ...{ isWhole, listsAll: given.lists_all && isWhole },
  })
  if (outcome) return { ...outcome, ...(notes.length > 0 && { notes }) }
  return received.end({ state: 'done', notes })
}

/** The rows of pages, one page after the other, so that others have their turn. */
async function* rowsOf(pages: readonly string[]): AsyncGenerator<FeedRow> {
  const slice = new TimeSlice()
  for (const page of pages) {
    await slice.pause()
    const rows: FeedRow[] = JSON.parse(page)
    yield* rows
  }
}
