import { XMLParser } from 'fast-xml-parser'
import { parseFeed } from 'feedsmith'
import { decode } from 'html-entities'

/** What an entry of any kind of feed says, as it says it. */
export type FeedEntry = {
  id: string
  title: string
  /** Where it leads to, the most telling first. */
  links: string[]
  /** What it says in HTML or plain words. */
  texts: string[]
  pictures: string[]
  published: string | undefined
  updated: string | undefined
  /** Elements of Google's product feeds, without their prefix: `price`, `sale_price`, `expiration_date`. */
  product: Record<string, string>
}

export type FeedItems = { entries: FeedEntry[]; ttl: number | undefined }

type Parsed = ReturnType<typeof parseFeed<string>>
type OfFormat<F extends Parsed['format']> = Extract<Parsed, { format: F }>['feed']
type RssItem = NonNullable<OfFormat<'rss'>['items']>[number]
type RdfItem = NonNullable<OfFormat<'rdf'>['items']>[number]
type AtomEntry = NonNullable<OfFormat<'atom'>['entries']>[number]
type JsonItem = NonNullable<OfFormat<'json'>['items']>[number]
type Media = NonNullable<RssItem['media']>

/** The entries of a feed. Throws what feedsmith throws where the text is none. */
export function itemsOf(text: string): FeedItems {
  const { format, feed } = parseFeed(text)
  if (format === 'json') return { entries: (feed.items ?? []).map(ofJson), ttl: undefined }
  const entries =
    format === 'atom'
      ? (feed.entries ?? []).map(ofAtom)
      : format === 'rdf'
        ? (feed.items ?? []).map(ofRdf)
        : (feed.items ?? []).map(ofRss)
  const items = productsOf(text)
  return {
    entries: items.length > 0 ? withProducts(entries, items) : entries,
    ttl: format === 'rss' ? feed.ttl : undefined,
  }
}

/** What an item says in Google's elements, and whether it has elements of feeds as well. */
type ProductItem = { product: Record<string, string>; isPlain: boolean }

/** Entries with what Google's elements say. Items of which feedsmith knows no element are none of the entries. */
function withProducts(entries: FeedEntry[], items: readonly ProductItem[]): FeedEntry[] {
  if (items.length === entries.length)
    return entries.map((entry, at) => withProduct(entry, items[at]?.product ?? {}))
  const inGoogles = ({ product }: ProductItem) =>
    product.title !== undefined && product.link !== undefined ? [withProduct(nothing, product)] : []
  if (items.filter(({ isPlain }) => isPlain).length === entries.length) {
    const rest = entries.values()
    return items.flatMap((item) => {
      const entry = item.isPlain ? rest.next().value : undefined
      return entry ? [withProduct(entry, item.product)] : inGoogles(item)
    })
  }
  // It isn't known whose element is whose: what says all in Google's elements is read from them alone.
  const whole = items.flatMap(inGoogles)
  return whole.length > entries.length ? whole : entries
}

const nothing: FeedEntry = {
  ...{ id: '', title: '', links: [], texts: [], pictures: [], product: {} },
  ...{ published: undefined, updated: undefined },
}

function withProduct(entry: FeedEntry, product: Record<string, string>): FeedEntry {
  const links = [...entry.links, ...present([product.link])]
  return { ...entry, product, links, texts: [...entry.texts, ...present([product.description])] }
}

const present = (values: readonly (string | undefined)[]): string[] =>
  values.flatMap((value) => (value === undefined || value === '' ? [] : [value]))

function ofRss(item: RssItem): FeedEntry {
  const { title = '', link, guid, description, content, enclosures = [], media, pubDate, dc, atom } = item
  const images = enclosures.filter(({ type, url }) => isImage(type, url))
  return {
    ...{ title, id: guid?.value ?? '', product: {} },
    links: present([link, guid?.value, ...(atom?.links ?? []).map(({ href }) => href)]),
    texts: present([description, content?.encoded, ...wordsOf(media)]),
    pictures: present([...picturesOf(media), ...images.map(({ url }) => url)]),
    published: pubDate ?? dc?.dates?.[0],
    updated: atom?.updated,
  }
}

function ofRdf({ title = '', link, rdf, description, content, dc, media }: RdfItem): FeedEntry {
  return {
    ...{ title, id: rdf?.about ?? '', product: {}, updated: undefined },
    links: present([link, rdf?.about]),
    texts: present([description, content?.encoded]),
    pictures: picturesOf(media),
    published: dc?.dates?.[0],
  }
}

function ofAtom({
  title,
  id = '',
  links = [],
  summary,
  content,
  media,
  published,
  updated,
}: AtomEntry): FeedEntry {
  const pages = links.filter(({ rel = 'alternate' }) => rel === 'alternate')
  const others = links.filter(({ rel = '' }) => rel === 'related' || rel === 'via')
  const images = links.filter(({ rel, type, href }) => rel === 'enclosure' && isImage(type, href))
  return {
    ...{ title: title?.value ?? '', id, published, updated, product: {} },
    links: present([...pages, ...others].map(({ href }) => href).concat(id)),
    texts: present([summary?.value, content?.value, ...wordsOf(media)]),
    pictures: present([...picturesOf(media), ...images.map(({ href }) => href)]),
  }
}

function ofJson(item: JsonItem): FeedEntry {
  const { id = '', title = '', url, external_url, image, banner_image, attachments = [] } = item
  const images = attachments.filter((attachment) => isImage(attachment.mime_type, attachment.url))
  return {
    ...{ id, title, product: {}, published: item.date_published, updated: item.date_modified },
    links: present([external_url, url, id]),
    texts: present([item.summary, item.content_html, item.content_text]),
    pictures: present([image, banner_image, ...images.map((attachment) => attachment.url)]),
  }
}

function wordsOf(media: Media | undefined): (string | undefined)[] {
  return [media?.description?.value, ...(media?.groups ?? []).map(({ description }) => description?.value)]
}

function picturesOf(media: Media | undefined): string[] {
  const groups = media ? [media, ...(media.groups ?? [])] : []
  const contents = groups.flatMap((group) => group.contents ?? [])
  const thumbnails = [...groups, ...contents].flatMap((holder) => holder.thumbnails ?? [])
  const images = contents.filter(({ medium, type, url }) => medium === 'image' || isImage(type, url))
  return present([...images, ...thumbnails].map(({ url }) => url))
}

function isImage(type: string | undefined, url: string | undefined): boolean {
  return type === undefined
    ? /\.(?:jpe?g|png|webp|gif|avif)(?:[?#]|$)/i.test(url ?? '')
    : /^image\//i.test(type)
}

const productSpace = /xmlns:([\w-]{1,20})\s*=\s*["']https?:\/\/base\.google\.com\/ns\/1\.0\/?["']/i
const parser = new XMLParser({
  ...{ ignoreAttributes: true, parseTagValue: false, processEntities: false },
  transformTagName: (name) => name.toLowerCase(),
})

/** Google's elements of all items in their order; none where there are none of them in the document. */
function productsOf(xml: string): ProductItem[] {
  const prefix = productSpace.exec(xml)?.[1]?.toLowerCase()
  if (prefix === undefined) return []
  const root: unknown = Object.values(members(parser.parse(xml))).find((value) => typeof value === 'object')
  const items = [members(root).channel, root]
    .flatMap((holder) => [members(holder).item, members(holder).entry])
    .find((found) => found !== undefined)
  return (Array.isArray(items) ? items : [items]).map((item) => ({
    product: productOf(item, `${prefix}:`),
    isPlain: Object.keys(members(item)).some((name) => /^[a-z]+$/.test(name)),
  }))
}

function productOf(item: unknown, prefix: string): Record<string, string> {
  const named = Object.entries(members(item)).flatMap(([name, value]): [string, string][] => {
    const text: unknown = Array.isArray(value) ? value[0] : value
    return name.startsWith(prefix) && typeof text === 'string'
      ? [[name.slice(prefix.length), decode(text).trim()]]
      : []
  })
  return Object.fromEntries(named.filter(([, text]) => text !== ''))
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
