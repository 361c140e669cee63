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
import { readFeed } from './feed-document.ts'
import { type FeedRow, rowOf } from './feed-entry.ts'
import type { FeedEntry } from './feed-items.ts'
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
  const { text, note } = textOfFeed(bytes, received.contentType)
  const document = readFeed(text)
  if ('problem' in document) return { state: 'failed', text: `${document.problem} Earlier deals stay.` }
  received.restsFor(document.ttl)
  const notes = [...(note === null ? [] : [note]), ...document.notes]
  const { entries } = document
  if (entries.length === 0)
    return received.end({ state: 'done', notes: [...notes, 'The feed has no entries.'] })
  const { marketplace, clock } = context
  const rows = new Rows(entries, { domain: marketplace.domain, now: clock() })
  const { outcome } = await handOver(context, {
    ...{ body: rows, availability: given.availability },
    ...{ isWhole: !document.isCut, listsAll: given.lists_all && !document.isCut },
  })
  if (outcome) return { ...outcome, ...(notes.length > 0 && { notes }) }
  return received.end({ state: 'done', notes: [...notes, ...rows.notes()] })
}

const shortLink = /^https?:\/\/(?:amzn\.(?:to|eu|asia)|a\.co)\//i

/** The rows of a feed, made while they are read so that others have their turn. */
class Rows implements AsyncIterable<FeedRow> {
  readonly #entries: readonly FeedEntry[]
  readonly #about: Parameters<typeof rowOf>[1]
  #shortLinks = 0

  constructor(entries: readonly FeedEntry[], about: Parameters<typeof rowOf>[1]) {
    this.#entries = entries
    this.#about = about
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedRow> {
    const slice = new TimeSlice()
    for (const entry of this.#entries) {
      await slice.pause()
      const row = rowOf(entry, this.#about)
      if (row.asin === undefined && shortLink.test(row.product_url ?? '')) this.#shortLinks += 1
      yield row
    }
  }

  /** What the refusals of the importer would leave open. */
  notes(): string[] {
    if (this.#shortLinks === 0) return []
    return [`Entries with a short link only, which does not say which item it is: ${this.#shortLinks}.`]
  }
}
