import { generateAtomFeed, generateJsonFeed, generateRssFeed } from 'feedsmith'
import type { FeedEntry } from './entries.ts'

export type FeedFormat = 'atom' | 'rss' | 'json'

type Feed = {
  id: string
  title: string
  description: string
  /** The page that shows the same. The address of the feed itself is a secret and stands nowhere in it. */
  home: string
  updated: Date
  entries: readonly FeedEntry[]
}

type Format = { type: string; write: (feed: Feed) => string }

/** Minutes after which a reader program may ask again. */
const minutesToLive = 60
const author = { name: 'Dealdeck' }

/** Every format of a feed, made of the same entries. */
export const formats: Record<FeedFormat, Format> = {
  atom: {
    type: 'application/atom+xml; charset=utf-8',
    write: ({ id, title, description, home, updated, entries }) =>
      generateAtomFeed({
        ...{ id, updated, title: { value: clean(title) }, subtitle: { value: clean(description) } },
        ...{ authors: [author], links: [{ rel: 'alternate', type: 'text/html', href: home }] },
        entries: entries.map((entry) => ({
          ...{ id: entry.id, title: { value: clean(entry.title) } },
          ...{ published: entry.published, updated: entry.updated },
          links: [{ rel: 'alternate', href: entry.url }],
          categories: entry.tags.map((tag) => ({ term: clean(tag) })),
          content: { type: 'html', value: clean(entry.html) },
        })),
      }),
  },
  rss: {
    type: 'application/rss+xml; charset=utf-8',
    write: ({ title, description, home, updated, entries }) =>
      generateRssFeed({
        ...{ title: clean(title), description: clean(description), link: home },
        ...{ language: 'en', lastBuildDate: updated, ttl: minutesToLive },
        items: entries.map((entry) => ({
          ...{ title: clean(entry.title), link: entry.url, description: clean(entry.html) },
          guid: { value: entry.id, isPermaLink: false },
          pubDate: entry.published,
          categories: entry.tags.map((tag) => ({ name: clean(tag) })),
        })),
      }),
  },
  json: {
    type: 'application/feed+json; charset=utf-8',
    write: ({ title, description, home, entries }) =>
      JSON.stringify(
        // Of a feed without entries the package leaves out the list, which has to be there.
        Object.assign(
          { items: [] },
          generateJsonFeed({
            ...{ title, description, home_page_url: home, language: 'en', authors: [author] },
            items: entries.map((entry) => ({
              ...{ id: entry.id, url: entry.url, title: entry.title, content_html: entry.html },
              ...{ date_published: entry.published, date_modified: entry.updated },
              ...(entry.tags.length > 0 && { tags: entry.tags }),
            })),
          }),
        ),
      ),
  },
}

/** A text without what XML 1.0 can't hold, escaped or not. */
function clean(text: string): string {
  return text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
}
