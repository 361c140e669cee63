import { readDocument } from './feed-document.ts'
import { rowOf } from './feed-entry.ts'
import { textOfFeed } from './feed-text.ts'

/** A feed as it came, the domain of the marketplace, and the time: an entry of a later day has no date. */
export type ReceivedFeed = { bytes: Uint8Array; contentType: string; domain: string; now: Date }

/**
 * What a feed holds. `pages`: its entries as rows of an import, in order, some at a time as the JSON of a list, which a thread hands
 * over at once and whoever imports them opens piece by piece. `isWhole`: nothing of its end is missing. `ttl`: in minutes.
 */
export type ReadFeed = { pages: string[]; isWhole: boolean; ttl: number | undefined; notes: string[] }

const rowsOfPage = 200
const shortLink = /^https?:\/\/(?:amzn\.(?:to|eu|asia)|a\.co)\//i

/** Reads a feed to its end, which may take seconds. Returns the problem in words where there is none to be read. */
export function rowsOfFeed({ bytes, contentType, ...about }: ReceivedFeed): ReadFeed | { problem: string } {
  const { text, note } = textOfFeed(bytes, contentType)
  const document = readDocument(text)
  if ('problem' in document) return document
  const { entries, isCut, ttl } = document
  const pages: string[] = []
  let shortLinks = 0
  for (let from = 0; from < entries.length; from += rowsOfPage) {
    const rows = entries.slice(from, from + rowsOfPage).map((entry) => rowOf(entry, about))
    shortLinks += rows.filter((row) => row.asin === undefined && shortLink.test(row.product_url ?? '')).length
    pages.push(JSON.stringify(rows))
  }
  const notes = [...(note === null ? [] : [note]), ...document.notes]
  // What the refusals of the importer would leave open.
  if (shortLinks > 0)
    notes.push(`Entries with a short link only, which does not say which item it is: ${shortLinks}.`)
  return { pages, isWhole: !isCut, ttl, notes }
}
