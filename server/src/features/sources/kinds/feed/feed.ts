import { z } from 'zod'
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
import { readFeed } from './feed-document.ts'
import { type FeedRow, rowOf } from './feed-entry.ts'
import { textOfFeed } from './feed-text.ts'

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
  const { text, note } = textOfFeed(bytes, received.contentType)
  const document = readFeed(text)
  if ('problem' in document) return { state: 'failed', text: `${document.problem} Earlier deals stay.` }
  received.restsFor(document.ttl)
  const notes = [...(note === null ? [] : [note]), ...document.notes]
  const { marketplace, clock } = context
  const about = { domain: marketplace.domain, now: clock() }
  const rows = document.entries.map((entry) => rowOf(entry, about))
  if (rows.length === 0) return received.end({ state: 'done', notes: [...notes, 'The feed has no entries.'] })
  const { outcome } = await handOver(context, {
    ...{ body: rows, availability: given.availability },
    ...{ isWhole: !document.isCut, listsAll: given.lists_all && !document.isCut },
  })
  if (outcome) return { ...outcome, ...(notes.length > 0 && { notes }) }
  return received.end({ state: 'done', notes: [...notes, ...missing(rows)] })
}

/** What the refusals of the importer would leave open. */
function missing(rows: readonly FeedRow[]): string[] {
  const unnamed = rows.filter(({ asin }) => asin === undefined)
  const short = unnamed.filter(({ product_url: url = '' }) =>
    /^https?:\/\/(?:amzn\.(?:to|eu|asia)|a\.co)\//i.test(url),
  )
  if (short.length === 0) return []
  return [`Entries with a short link only, which does not say which item it is: ${short.length}.`]
}
