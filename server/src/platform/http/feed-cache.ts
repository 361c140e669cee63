import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Cancellation, type CancelSignal } from '../cancellation.ts'
import { AppError } from '../errors.ts'
import { type Client, goneError } from './gone-signal.ts'

const gzipAsync = promisify(gzip)

/** What is sent, and its compressed form once somebody asked for it. */
export type CachedBody = { etag: string; plain: string | Buffer; gzip(): Promise<Buffer> }

type Entry = {
  revision: number
  body: Promise<CachedBody>
  bytes: number
  isWanted: boolean
  /** Clients who wait for it while it is made, each by what stops listening for its end. */
  waiting: Set<() => void>
  /** Aborted when none of them does any more; undefined once it is made. */
  making: Cancellation | undefined
}

/** Total size of what is cached; the least recently used pages go first. */
const byteLimit = 64 * 1024 * 1024
/** What keeping an entry costs beside its text, or ever new questions without an answer would count for nothing. */
const entryBytes = 1024
/** A page that takes longer is given up, in milliseconds. */
const longestMakingMs = 5_000
/** What is no longer is compressed at once: handing it to another thread takes longer, and far longer on a busy machine. */
const gzipAtOnceBytes = 64 * 1024
/** Of a page of 50 deals with verdicts, 5 takes some 0.3 ms longer than 3, for 6 % fewer bytes: too long on the thread that answers. */
const gzipLevels = { atOnce: 3, later: 5 }
/** How many questions asked once are remembered, at least the last half of them; of one longer than so many characters its hash. */
const [onceLimit, longestRemembered] = [5_000, 200]

/**
 * Bodies by key, each good for one revision. The same key asked by many at once is made once (single flight). Kept is
 * what was asked before, at this revision or another: most of a walk through the list is asked by one reader once, and
 * keeping all of it took the garbage collector a quarter of the time. Memory is bounded; a failed making is forgotten.
 */
export class FeedCache {
  readonly #entries = new Map<string, Entry>()
  // Two halves, since taking the oldest out of one set again and again passes all that were taken out before.
  #askedOnce = new Set<string>()
  #askedBefore = new Set<string>()
  #bytes = 0
  /** How often a page was there, and how often it had to be made, so far. */
  hits = 0
  misses = 0

  /** Size of what is kept, with what is compressed of it. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many pages are cached. */
  get size(): number {
    return this.#entries.size
  }

  /** The body of `key` at `revision` if it is there and needs no making. */
  ready(key: string, revision: number): Promise<CachedBody> | undefined {
    const known = this.#entries.get(key)
    return known && known.revision >= revision && !known.making ? this.#hit(key, known) : undefined
  }

  /**
   * The body of `key` at `revision`, made by `make` when it isn't there. The signal of `make` is aborted when all clients
   * have gone; throws an AbortError for one that has gone already. `isForMany`: cached the first time already.
   */
  get(
    key: string,
    revision: number,
    make: (signal: CancelSignal) => Promise<string | Buffer>,
    client?: Client,
    isForMany = false,
  ): Promise<CachedBody> {
    // Nobody would ever end what is made for somebody who has gone already.
    if (client?.hasGone()) throw goneError()
    const known = this.#entries.get(key)
    if (known && known.revision >= revision) return this.#wait(key, known, client)
    this.misses += 1
    if (known) this.#forget(key, known)
    const making = new Cancellation()
    const entry: Entry = {
      ...{ revision, bytes: 0, waiting: new Set(), making },
      isWanted: this.#wasAsked(key) || known !== undefined || isForMany,
      body: limited(make, making).then((text) => this.#keep(key, entry, text)),
    }
    this.#entries.set(key, entry)
    entry.body.catch(() => this.#forget(key, entry))
    return this.#wait(key, entry, client, true)
  }

  #hit(key: string, entry: Entry): Promise<CachedBody> {
    this.hits += 1
    entry.isWanted = true
    // Moving it to the end keeps the map in order of last use.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.body
  }

  #wait(key: string, entry: Entry, client: Client | undefined, isFirst = false): Promise<CachedBody> {
    const body = isFirst ? entry.body : this.#hit(key, entry)
    if (!entry.making) return body
    const unlisten =
      client?.onGone(() => {
        entry.waiting.delete(unlisten)
        if (entry.waiting.size > 0 || !entry.making) return
        // Whoever asks from now on has it made anew.
        this.#forget(key, entry)
        entry.making.abort(goneError())
      }) ?? (() => undefined)
    entry.waiting.add(unlisten)
    return body
  }

  #keep(key: string, entry: Entry, text: string | Buffer): CachedBody {
    // Made at this revision or later; whatever changes it next brings the next revision, and with it another tag.
    entry.making = undefined
    // A client lives until the answer is sent, and would keep the page as long.
    for (const unlisten of entry.waiting) unlisten()
    entry.waiting.clear()
    // Readers compare tags of one address only, which stands behind the blank.
    const tag = `${entry.revision.toString(36)}-${key.slice(0, key.indexOf(' '))}`
    if (!entry.isWanted) {
      this.#forget(key, entry)
      this.#remember(key)
      return cachedBody(text, tag)
    }
    const plain = typeof text === 'string' ? Buffer.from(text) : text
    this.#count(key, entry, plain.length + key.length + entryBytes)
    return cachedBody(plain, tag, (packed) => this.#count(key, entry, packed.length))
  }

  /** So much more is kept of an entry; what was used least recently makes room for it. */
  #count(key: string, entry: Entry, bytes: number): void {
    if (this.#entries.get(key) !== entry) return
    entry.bytes += bytes
    this.#bytes += bytes
    for (const [oldKey, old] of this.#entries) {
      if (this.#bytes <= byteLimit) break
      this.#forget(oldKey, old)
    }
  }

  #remember(key: string): void {
    this.#askedOnce.add(markOf(key))
    if (this.#askedOnce.size < onceLimit / 2) return
    this.#askedBefore = this.#askedOnce
    this.#askedOnce = new Set()
  }

  #wasAsked(key: string): boolean {
    const mark = markOf(key)
    return this.#askedOnce.delete(mark) || this.#askedBefore.delete(mark)
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}

/** What a key is remembered by: addresses may be thousands of characters long. */
const markOf = (key: string) => (key.length > longestRemembered ? hash('sha1', key, 'base64url') : key)

/** A body that is made for one client and not cached, within the same time. */
export async function makeBody(
  make: (signal: CancelSignal) => Promise<string | Buffer>,
  client: Client,
): Promise<CachedBody> {
  if (client.hasGone()) throw goneError()
  const making = new Cancellation()
  client.onGone(() => making.abort(goneError()))
  return cachedBody(await limited(make, making))
}

/** What `make` makes, given up when it takes too long. */
async function limited(
  make: (signal: CancelSignal) => Promise<string | Buffer>,
  making: Cancellation,
): Promise<string | Buffer> {
  const late = setTimeout(() => making.abort(tooLong()), longestMakingMs).unref()
  try {
    return await make(making)
  } finally {
    clearTimeout(late)
  }
}

function tooLong(): AppError {
  const message = 'This took too long to find. Please search for a longer word, or fewer of them.'
  return new AppError('BUSY', message, { retryAfter: 2 })
}

/** The body with its ETag: `tag` when given, else a hash of the body. `onPacked` hears of its compressed form once there is one. */
export function cachedBody(
  plain: string | Buffer,
  tag = hash('sha1', plain, 'base64url'),
  onPacked?: (packed: Buffer) => void,
): CachedBody {
  let compressed: Promise<Buffer> | undefined
  return {
    etag: `W/"${tag}"`,
    plain,
    gzip() {
      if (compressed) return compressed
      compressed =
        plain.length <= gzipAtOnceBytes
          ? Promise.resolve(gzipSync(plain, { level: gzipLevels.atOnce }))
          : gzipAsync(plain, { level: gzipLevels.later })
      if (onPacked) compressed.then(onPacked, () => undefined)
      return compressed
    },
  }
}

/** Named among what a reader takes, and not with a weight of 0, which refuses it. */
const takesGzip = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i

/** Answers with a body: 304 when the reader has it, compressed when the reader takes that. */
export async function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  body: CachedBody,
  type = 'application/json; charset=utf-8',
) {
  reply
    .header('etag', body.etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'accept-encoding, cookie')
  if (isKnown(request.headers['if-none-match'], body.etag)) return reply.status(304).send()
  reply.header('content-type', type)
  if (!takesGzip.test(request.headers['accept-encoding'] ?? '')) return reply.send(body.plain)
  return reply.header('content-encoding', 'gzip').send(await body.gzip())
}

/** Whether a reader names what it would get: by any of a list, with or without the sign for tags that are weak. */
const isKnown = (named: string | undefined, etag: string) =>
  named === '*' || named?.includes(etag.replace(/^W\//, '')) === true
