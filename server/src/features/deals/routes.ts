import { hash } from 'node:crypto'
import { handledContract } from '@dealdeck/contract/api'
import {
  type DealListInput,
  type DealStats,
  dealCountInputSchema,
  dealListInputSchema,
  dealSchema,
} from '@dealdeck/contract/deals'
import { revisionHeader } from '@dealdeck/contract/preloads'
import { parseQuestion } from '@dealdeck/query/parsing'
import { implement } from '@orpc/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import type { CancelSignal } from '../../platform/cancellation.ts'
import { type Stamp, writeStamp } from '../../platform/database/epoch.ts'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { AppError } from '../../platform/errors.ts'
import { isAdmin, requireSession } from '../../platform/http/access.ts'
import { type FeedCache, makeBody, sendBody } from '../../platform/http/feed-cache.ts'
import { clientOf, goneSignal } from '../../platform/http/gone-signal.ts'
import type { MemberGate } from '../../platform/limits/member-gate.ts'
import { endWhenSent, type ReadGates, takeTurn } from '../../platform/limits/read-gates.ts'
import type { DealSearch } from './memory/deal-search.ts'
import {
  countDeals,
  findDeal,
  findHiding,
  listDealsById,
  readStats,
  type Shop,
  writeDealPage,
} from './queries.ts'
import { readCursor, startOfDay } from './rules.ts'
import { explainQuestion, mayDependOnClock, narrowed } from './searching/asking.ts'
import type { FeedQuery } from './searching/conditions.ts'
import { suggestByNewest } from './searching/suggestions.ts'
import type { DealStream } from './stream.ts'
import { hideDeal } from './writing/hiding.ts'
import { removeSampleDeals } from './writing/samples.ts'

const contract = implement(handledContract.deals).$context<CallContext>()

export function dealHandlers(deps: AppDeps, stream: DealStream, search?: DealSearch) {
  const pool = deps.databases.customPlanPool
  const shop = shopOf(deps)
  const stats = keepStats(pool, stream)
  const suggestByDatabase = suggestByNewest(pool, () => {
    const trusted = stream.trustedStamp()
    return trusted && writeStamp(trusted)
  })
  return {
    stats: contract.stats.handler(async ({ context: { reply } }) => {
      sayRevision(reply, stream)
      const found = await stats()
      // Those of a moment ago are of none that is known.
      if (found.is_changing) reply.removeHeader(revisionHeader)
      return found
    }),
    get: contract.get.handler(({ input, context }) => findDeal(pool, input, isAdmin(context.request), shop)),
    getByAsin: contract.getByAsin.handler(({ input, context }) => {
      sayRevision(context.reply, stream)
      return findDeal(pool, input, isAdmin(context.request), shop)
    }),
    explain: contract.explain.handler(({ input, context }) =>
      explainQuestion(input.q, isAdmin(context.request)),
    ),
    suggest: contract.suggest.handler(async ({ input: { field, prefix } }) => {
      const values = await search?.suggest(field, prefix)
      return values ? { values, has_more: false } : suggestByDatabase(field, prefix)
    }),
    hiding: contract.hiding.handler(({ input }) => findHiding(pool, input.id)),
    hide: contract.hide.handler(({ input, context }) =>
      hideDeal(deps.databases, input, requireSession(context.request).user),
    ),
    removeSamples: contract.removeSamples.handler(async ({ context }) => ({
      removed: await removeSampleDeals(deps.databases, requireSession(context.request).user),
    })),
  }
}

/** More deals than this weigh more than the finding of them. */
const largePage = 200

/** The list: a plain route, since it answers bytes made once for everybody. */
export function registerDealRoutes(
  app: FastifyInstance,
  deps: AppDeps,
  stream: DealStream,
  pages: FeedCache,
  gates: ReadGates,
  search?: DealSearch,
): void {
  const shop = shopOf(deps)
  // What else a page is made of: another tag, or a release with another field, changes pages without a revision.
  const pageVersion = hash('sha1', JSON.stringify([shop, Object.keys(dealSchema.shape)]), 'base64url')
  // Pages are packed once for all, not for each reader with the encoding they name.
  // A page is data no browser renders: it needs only the headers every answer has, and assembling those of pages for
  // every poll of every reader took longer than the page.
  const options = { config: { access: 'user', isData: true }, compress: false, decompress: false } as const
  app.get('/api/products', options, (request, reply) => {
    const asked = Object(request.query)
    const isLarge = asked.limit > largePage
    const queryOf = (input = readInput(request)) => toFeedQuery(input, deps.clock(), request)
    const kind = {
      isLarge,
      gate: isLarge || asked.search || asked.q || asked.min_rating ? gates.searches : gates.pages,
      // Deals asked for by their ids are looked up in the database, whatever else is asked of them.
      query: asked.ids === undefined && (asked.q || asked.min_rating) ? queryOf : undefined,
      // What has just changed is asked for by its ids, by everybody who has it on screen, and never again.
      isForMany: asked.ids !== undefined,
    }
    return answer(request, reply, kind, async (signal) => {
      const input = readInput(request)
      const query = { ...queryOf(input), signal }
      return input.ids
        ? listDealsById(deps.databases.customPlanPool, input.ids, query, shop)
        : writeDealPage(deps.databases, query, shop, search)
    })
  })
  app.get('/api/products/count', options, (request, reply) => {
    const queryOf = () => {
      const input = dealListInputSchema.parse({ ...dealCountInputSchema.parse(request.query), limit: 1 })
      return toFeedQuery(input, deps.clock(), request)
    }
    const kind = { isLarge: false, gate: gates.searches, isForMany: true, query: queryOf }
    return answer(request, reply, kind, async (signal) =>
      JSON.stringify(await countDeals(deps.databases.customPlanPool, { ...queryOf(), signal }, search)),
    )
  })

  /** `query`: what is asked, where it may have to wait for the index of deals. */
  type Kind = {
    isLarge: boolean
    gate: MemberGate
    isForMany: boolean
    query: (() => FeedQuery) | undefined
  }

  /** Answers with the body cached for this question and revision, or makes it in its turn. */
  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { isLarge, gate, isForMany, query }: Kind,
    make: (signal: CancelSignal) => Promise<string | Buffer>,
  ) {
    // A cached page is found by the question as it came: understanding it takes longer than answering it again.
    // What is asked of the clock too is cached for the minute.
    const asked = Object(request.query)
    const asksClock =
      'today' in asked || 'last_24_hours' in asked || ('q' in asked && mayDependOnClock(String(asked.q)))
    const minute = asksClock ? Math.floor(deps.clock().getTime() / 60_000) : ''
    const stamp = sayRevision(reply, stream)
    const revision = stamp?.revision ?? null
    const key = `${pageVersion}.${stamp?.epoch}.${isAdmin(request) ? 'admin' : 'user'}.${minute} ${request.url}`
    const cached = isLarge || revision === null ? undefined : pages.ready(key, revision)
    if (cached) return sendBody(request, reply, await cached)
    const client = clientOf(reply)
    if (query && search?.isReading) await search.untilAskable(query(), goneSignal(reply))
    const turn = await takeTurn(gate, reply)
    try {
      // While the bus is silent nobody can tell whether a cached body is still true, so it is made anew.
      const made =
        revision === null ? makeBody(make, client) : pages.get(key, revision, make, client, isForMany)
      const body = await made
      // Before it is sent, so that the database isn't idle meanwhile.
      if (!isLarge) turn.end()
      return sendBody(request, reply, body)
    } finally {
      if (isLarge) endWhenSent(turn, reply)
      else turn.end()
    }
  }
}

/** Names the revision that an answer is of, or an earlier one: whoever hears the stream from there on has missed nothing. Before it is read. */
function sayRevision(reply: FastifyReply, stream: DealStream): Stamp | null {
  const stamp = stream.trustedStamp()
  if (stamp) reply.header(revisionHeader, writeStamp(stamp))
  return stamp
}

/** Counting is cheap on an ordinary table; only what costs more than this is spared, in milliseconds. */
const cheapMs = 50

/**
 * Reads the stats once per revision. On a huge table during an import, where revisions come faster than they can be
 * counted, a count is good for ten times what it cost, and says that it is of a moment ago.
 */
function keepStats(pool: pg.Pool, stream: DealStream): () => Promise<DealStats> {
  let cached: { stamp: string; until: number; stats: Promise<DealStats> } | undefined
  return () => {
    const trusted = stream.trustedStamp()
    if (trusted === null) return readStats(pool)
    const stamp = writeStamp(trusted)
    if (cached?.stamp === stamp) return cached.stats
    if (cached && cached.until > performance.now())
      return cached.stats.then((stats) => ({ ...stats, is_changing: true }))
    const began = performance.now()
    const entry = { stamp, until: 0, stats: readStats(pool) }
    cached = entry
    entry.stats.then(
      () => {
        const cost = performance.now() - began
        if (cost > cheapMs) entry.until = began + 10 * cost
      },
      () => {
        if (cached === entry) cached = undefined
      },
    )
    return entry.stats
  }
}

/** What is asked for; only administrators may ask for hidden deals. */
function readInput(request: FastifyRequest): DealListInput {
  const input = dealListInputSchema.parse(request.query)
  if (input.include_hidden && !isAdmin(request))
    throw new AppError('FORBIDDEN', 'Only an administrator may see hidden deals.')
  return input
}

const shopOf = ({ settings }: AppDeps): Shop => ({
  marketplace: settings.MARKETPLACE,
  affiliateTag: settings.AFFILIATE_TAG,
})

function toFeedQuery(input: DealListInput, clock: Date, request: FastifyRequest): FeedQuery {
  const { min_price, max_price, min_discount, min_rating, discounted_only, prime_only } = input
  // Whole minutes, so that pages asked within the same minute share one cached body.
  const now = Math.floor(clock.getTime() / 60_000) * 60_000
  const question =
    input.q === '' ? undefined : parseQuestion(input.q, { isAdministrator: isAdmin(request) }).question
  // A sort of its own parameter counts before that of the question.
  const sort = 'sort' in Object(request.query) ? input.sort : (question?.sort ?? input.sort)
  // Asking for it takes longer than most of the rest.
  const midnight = question || input.today ? startOfDay(clock, input.time_zone) : undefined
  const query: FeedQuery = {
    sort,
    min_price,
    max_price,
    min_discount,
    min_rating,
    discounted_only,
    prime_only,
    search: input.search,
    limit: input.limit,
    seenSince: input.today ? midnight : undefined,
    updatedSince: input.last_24_hours ? new Date(now - 86_400_000) : undefined,
    cursor: input.cursor === undefined ? undefined : readCursor(input.cursor, sort),
    includeHidden: input.include_hidden,
  }
  return question && midnight
    ? narrowed(query, question.condition, { now, midnight: midnight.getTime() })
    : query
}
