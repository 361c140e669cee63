import { createHash } from 'node:crypto'
import { z } from 'zod'
import { FetchError, type FetchLimits, type SafeResponse } from '../../../platform/outgoing/safe-fetch.ts'
import { afterMinutes, latest, notBeforeOf } from './next-time.ts'
import type { RunContext, RunOutcome } from './source-kind.ts'
import { outcomeOfStatus } from './statuses.ts'
import { pageBytes, pageProblem } from './web-page.ts'

/** What is kept of an answer until the next request. Validators are opaque: they go back as they came. */
const rememberedSchema = z.object({
  /** What was asked, and how it was to be read. */
  of: z.string(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  content: z.string().nullable(),
  /** Where all redirects said that it has moved to for good, and how often in a row. */
  moved: z.object({ to: z.string(), times: z.number() }).nullable(),
  /** When it was last imported; null where another version has written this. */
  imported_at: z.iso.datetime().nullable().default(null),
})
type Remembered = z.infer<typeof rememberedSchema>

const longestValidator = 1_000
/** A new address is told once it was the same so often. */
const movedForGood = 3
/** A document that stays the same is imported again after so long, in milliseconds: what nobody has confirmed for two days counts as unknown. */
const confirmedEveryMs = 20 * 3_600_000
/** So much of a document shows some rows of it. */
const tryBytes = 4 * 1024 ** 2

export type Asking = {
  url: string
  accept: string
  limits: FetchLimits
  secretHeaders?: Record<string, string>
  /** Whatever else decides what comes of the document: where it has changed, the document is read anew. */
  reading: unknown
}

/** The answer had a body that is the same as the last time. */
class SameContent extends Error {}

/**
 * Asks an address for what is new there, and from time to time for all of it. Returns a document to be read, or how the run has ended where
 * there is none: nothing new, a status, a web page, an empty body. Throws a FetchError.
 */
export async function politeGet(context: RunContext, asking: Asking): Promise<Received | RunOutcome> {
  const of = fingerprint([asking.url, asking.reading, context.marketplace.domain])
  const found = rememberedSchema.safeParse(context.position)
  const before = found.success && found.data.of === of && !context.isTry ? found.data : undefined
  const { url, accept, limits, secretHeaders } = asking
  const isDue = !before || (context.confirms && isLongAgo(before.imported_at, context.clock()))
  const conditions = isDue ? {} : conditionsOf(before)
  const response = await context.ask(url, {
    headers: { accept, ...conditions },
    ...(secretHeaders && { secretHeaders }),
    ...{ limits, signal: context.signal },
  })
  const received = new Received(context, response, { of, before, isDue })
  const isAsked = Object.keys(conditions).length > 0
  const outcome = response.status === 200 ? null : await refusedOf(received, response, context, isAsked)
  if (outcome) {
    received.cancel()
    return outcome.state === 'unchanged' ? received.end(outcome) : outcome
  }
  const head = await received.beginning(pageBytes)
  const text = head.length === 0 ? 'The address answers with nothing.' : pageProblem(head)
  if (text === null) return received
  received.cancel()
  return { state: 'failed', text: `${text} Earlier deals stay.` }
}

async function refusedOf(
  received: Received,
  { status, headers }: SafeResponse,
  { clock, secrets }: RunContext,
  isAskedForNews: boolean,
): Promise<RunOutcome | null> {
  // A cache that takes us for somebody else: nothing would ever be read, and all would seem well.
  if (status === 304 && !isAskedForNews)
    return {
      state: 'failed',
      text: 'The address says that nothing has changed (304), which nobody had asked. Earlier deals stay.',
    }
  const page = status >= 400 ? pageProblem(await received.beginning(pageBytes).catch(noPage)) : null
  return outcomeOfStatus(status, {
    headers,
    now: clock(),
    hasSecret: Object.values(secrets).some((secret) => secret !== ''),
    isChallenge: page?.includes('whether a person') === true ? page : null,
  })
}

/** What is wrong with the rest of an answer says less than its status. */
function noPage(error: unknown): Uint8Array {
  if (error instanceof FetchError) return new Uint8Array()
  throw error
}

/** Of a time to come nobody knows how long ago it was: the clock was put right. */
function isLongAgo(time: string | null, now: Date): boolean {
  const ms = time === null ? Number.POSITIVE_INFINITY : now.getTime() - Date.parse(time)
  return ms < 0 || ms >= confirmedEveryMs
}

/** An entity tag wins over a date. */
function conditionsOf({ etag, last_modified }: Remembered): Record<string, string> {
  if (etag) return { 'if-none-match': etag }
  return last_modified ? { 'if-modified-since': last_modified } : {}
}

/** A document on its way. Must be read or cancelled. */
export class Received {
  readonly contentType: string
  readonly notes: string[] = []
  readonly #context: RunContext
  readonly #response: SafeResponse
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #hash = createHash('sha256')
  readonly #remembered: Remembered
  readonly #before: Remembered | undefined
  /** It is imported, also where it is the same as the last time. */
  readonly #isDue: boolean
  #head: Uint8Array = new Uint8Array()
  #isAtEnd = false
  #isSame = false
  #content: string | null = null
  #notBefore: Date | undefined

  constructor(
    context: RunContext,
    response: SafeResponse,
    { of, before, isDue }: { of: string; before: Remembered | undefined; isDue: boolean },
  ) {
    const { headers, movedTo, status } = response
    this.#context = context
    this.#response = response
    this.#before = before
    this.#isDue = isDue
    this.#chunks = response.body[Symbol.asyncIterator]()
    this.contentType = headers.get('content-type')?.toLowerCase() ?? ''
    this.#notBefore = notBeforeOf(headers, context.clock())
    const kept = status === 304 ? before : undefined
    const moved = movedTo === undefined ? null : { to: movedTo, times: timesOf(before, movedTo) + 1 }
    this.#remembered = {
      ...{ of, moved, content: before?.content ?? null, imported_at: before?.imported_at ?? null },
      etag: validator(headers.get('etag')) ?? kept?.etag ?? null,
      last_modified: validator(headers.get('last-modified')) ?? kept?.last_modified ?? null,
    }
    if (moved && moved.times >= movedForGood)
      this.notes.push(`The address has moved for good. Its new one is ${moved.to.slice(0, 300)}.`)
  }

  /** Whether the body was read to its end and is the same as the last time, so that nothing is made of it. */
  get isSame(): boolean {
    return this.#isSame && !this.#isDue
  }

  /** The first bytes, as many as these or all there are; they come again when the body is read. */
  async beginning(bytes: number): Promise<Uint8Array> {
    const pieces = [this.#head]
    let length = this.#head.length
    while (length < bytes && !this.#isAtEnd) {
      const { value, done } = await this.#chunks.next()
      if (done) this.#isAtEnd = true
      else {
        pieces.push(value)
        length += value.length
      }
    }
    if (pieces.length > 1) this.#head = Buffer.concat(pieces)
    return this.#head.subarray(0, bytes)
  }

  /** The bytes, once. At the end of a body of which nothing is to be made, as it is the same, it throws. Of a try only the beginning. */
  body(): AsyncGenerator<Uint8Array> {
    return this.#read(this.#context.isTry ? tryBytes : Number.POSITIVE_INFINITY)
  }

  async *#read(limit: number): AsyncGenerator<Uint8Array> {
    let count = 0
    try {
      for await (const chunk of this.#all()) {
        yield chunk
        count += chunk.length
        if (count >= limit) return
      }
      this.#content = this.#hash.digest('base64url')
      this.#isSame = this.#content === this.#before?.content
      if (this.isSame) throw new SameContent('The same body as the last time')
    } finally {
      this.cancel()
    }
  }

  /** All bytes; null where nothing is to be made of them, as they are the same. Only for what has a small limit. */
  async bytes(): Promise<Uint8Array | null> {
    const pieces: Uint8Array[] = []
    try {
      for await (const piece of this.#read(Number.POSITIVE_INFINITY)) pieces.push(piece)
    } catch (error) {
      if (this.isSame) return null
      throw error
    }
    return Buffer.concat(pieces)
  }

  async *#all(): AsyncGenerator<Uint8Array> {
    if (this.#head.length > 0) {
      this.#hash.update(this.#head)
      yield this.#head
    }
    this.#head = new Uint8Array()
    while (!this.#isAtEnd) {
      const { value, done } = await this.#chunks.next()
      if (done) return
      this.#hash.update(value)
      yield value
    }
  }

  /** The document asks not to be asked for again within so many minutes. */
  restsFor(minutes: number | undefined): void {
    this.#notBefore = latest(this.#notBefore, afterMinutes(minutes, this.#context.clock()))
  }

  cancel(): void {
    this.#response.cancel()
  }

  /**
   * The end of a run that has done what there was to do: what is remembered for the next one is saved. A document that is the same is
   * unchanged also where it was imported again, so that it isn't compared with itself.
   */
  async end(outcome: RunOutcome): Promise<RunOutcome> {
    const remembered = { ...this.#remembered, ...(this.#content !== null && { content: this.#content }) }
    if (outcome.state === 'done') remembered.imported_at = this.#context.clock().toISOString()
    if (!this.#context.isTry) await this.#context.savePosition(remembered)
    const { notes: own = [], ...ended } = outcome
    if (this.#isSame) ended.state = 'unchanged'
    const notes = [...this.notes, ...own]
    const notBefore = latest(outcome.notBefore, this.#notBefore)
    return { ...ended, ...(notes.length > 0 && { notes }), ...(notBefore && { notBefore }) }
  }
}

function timesOf(before: Remembered | undefined, movedTo: string): number {
  return before?.moved?.to === movedTo ? before.moved.times : 0
}

function validator(value: string | null): string | null {
  return value !== null && value !== '' && value.length <= longestValidator ? value : null
}

function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)
}
