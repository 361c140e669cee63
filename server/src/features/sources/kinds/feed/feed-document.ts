import { isBeyondAnyFeed, isBeyondAnyJsonFeed } from './feed-bounds.ts'
import { type FeedItems, itemsOf } from './feed-items.ts'
import { isWellFormed, repaired } from './feed-repair.ts'

/** `isCut`: its end was left out, so that it may not be all there is. */
export type FeedDocument = FeedItems & { isCut: boolean; notes: string[] }

const noFeed = 'This is no feed. Accepted are RSS, Atom, RDF and JSON Feed.'
const beyond =
  'The feed has more tags, attributes, references or values than any feed needs, and is not read.'
const broken = 'The feed is not well formed, and it could not be repaired. Whoever makes it has to mend it.'

/** Reads a feed strictly and, where that fails, once more after a repair. Returns the problem in words where there is none to be read. */
export function readDocument(text: string): FeedDocument | { problem: string } {
  const document = text.replace(/^\ufeff?\s*/, '')
  if (document.startsWith('{'))
    return isBeyondAnyJsonFeed(document) ? { problem: beyond } : parsed(document, [])
  const doctype = /<!DOCTYPE[^>[]{0,1000}(\[?)[^>]*>?/i.exec(document.slice(0, 10_000))
  // Entities of a document's own can be made to grow without end; no feed needs them.
  if (doctype?.[1] || /<!ENTITY/i.test(document))
    return { problem: 'The feed defines entities of its own, which are not read.' }
  if (!document.startsWith('<')) return { problem: noFeed }
  if (isBeyondAnyFeed(document)) return { problem: beyond }
  const xml = doctype ? document.replace(doctype[0], '') : document
  if (isWellFormed(xml)) return parsed(xml, [])
  const repair = repaired(xml)
  if (!repair) return { problem: broken }
  return parsed(repair.xml, [repair.note], repair.isCut)
}

function parsed(text: string, notes: string[], isCut = false): FeedDocument | { problem: string } {
  try {
    return { ...itemsOf(text), isCut, notes }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { problem: error.name === 'MalformedError' ? broken : noFeed }
  }
}
