import { handledContract } from '@dealdeck/contract/api'
import { implement } from '@orpc/server'
import type { FastifyInstance } from 'fastify'
import type { AppDeps, CallContext } from '../../platform/deps.ts'
import { requireAccount } from '../../platform/http/access.ts'
import { callerAddress, networkOf } from '../../platform/http/caller-address.ts'
import { goneSignal } from '../../platform/http/gone-signal.ts'
import { originOf } from '../../platform/http/hosts.ts'
import type { MemberGate } from '../../platform/limits/member-gate.ts'
import { takeTurn } from '../../platform/limits/read-gates.ts'
import { startOfDay } from '../deals/rules.ts'
import {
  addSearch,
  arrangeSearches,
  changeSearch,
  type Member,
  openSearch,
  removeSearch,
  restoreSearch,
} from './actions.ts'
import type { NewCounts } from './counting/new-counts.ts'
import { addFeed, noFeed, noFormat, removeFeed, secretShape, useFeed } from './feeds/addresses.ts'
import { answerFeed, type FeedDeps } from './feeds/answering.ts'
import { formats } from './feeds/formats.ts'
import { listFeeds, listSearches } from './queries.ts'

const contract = implement(handledContract.searches).$context<CallContext>()

/** `gate` gives the turns at changes: nobody's take the connections that everybody's changes need. */
export function searchHandlers({ databases, clock, settings }: AppDeps, gate: MemberGate, counts: NewCounts) {
  const change = async <T>(context: CallContext, work: (member: Member) => Promise<T>): Promise<T> => {
    const member = requireAccount(context.request)
    const turn = await takeTurn(gate, context.reply)
    return work(member).finally(() => turn.end())
  }
  const listCounted = async (userId: number, timeZone: string) => {
    const searches = await listSearches(databases.db, userId)
    const now = clock()
    // Whole minutes, so that what depends on the clock is counted once for all who ask within one.
    const moment = {
      now: Math.floor(now.getTime() / 60_000) * 60_000,
      midnight: startOfDay(now, timeZone).getTime(),
    }
    const found = await counts.count(
      `user ${userId}`,
      searches.map(({ q, seenRevision }) => ({ question: q, seenRevision })),
      moment,
    )
    const items = searches.map(({ seenRevision: _, ...search }, at) => ({
      ...search,
      new_count: found[at]?.count ?? null,
      has_more_new: found[at]?.hasMore ?? false,
    }))
    return { user_id: userId, items }
  }
  return {
    list: contract.list.handler(({ input, context }) =>
      listCounted(requireAccount(context.request).id, input.time_zone),
    ),
    create: contract.create.handler(({ input, context }) =>
      change(context, (member) => addSearch(databases, member, input)),
    ),
    arrange: contract.arrange.handler(({ input, context }) =>
      change(context, (member) => arrangeSearches(databases, member, input)),
    ),
    update: contract.update.handler(({ input: { id, ...given }, context }) =>
      change(context, (member) => changeSearch(databases, member, id, given)),
    ),
    remove: contract.remove.handler(({ input, context }) =>
      change(context, (member) => removeSearch(databases, member, input.id)),
    ),
    restore: contract.restore.handler(({ input, context }) =>
      change(context, (member) => restoreSearch(databases, member, input.id)),
    ),
    open: contract.open.handler(({ input, context }) =>
      change(context, (member) => openSearch(databases, member, input.id)),
    ),
    listFeeds: contract.listFeeds.handler(({ input, context }) =>
      listFeeds(databases.db, requireAccount(context.request).id, input.id),
    ),
    createFeed: contract.createFeed.handler(({ input, context }) =>
      change(context, async (member) => {
        const { secret, ...feed } = await addFeed(databases, member, input.id, input.kind)
        return { ...feed, url: `${originOf(context.request, settings.PUBLIC_URL)}/feeds/${secret}` }
      }),
    ),
    removeFeed: contract.removeFeed.handler(({ input, context }) =>
      change(context, (member) => removeFeed(databases, member, input.id, input.feed_id)),
    ),
  }
}

const feedAddress = new RegExp(`^(${secretShape})(?:\\.(${Object.keys(formats).join('|')}))?$`)

/**
 * The addresses at which other programs read saved searches. `gate` gives the turns at looking secrets up, by network: whoever
 * makes them up holds up their own network only.
 */
export function registerFeedRoutes(app: FastifyInstance, deps: FeedDeps, gate: MemberGate): void {
  // The secret says who may read it; nobody is signed in.
  app.get('/feeds/:file', { config: { access: 'open', isData: true } }, async (request, reply) => {
    const [, secret, format] = feedAddress.exec(String(Object(request.params).file)) ?? []
    if (secret === undefined) throw noFeed()
    if (format === undefined) throw noFormat()
    const turn = await gate.enter(networkOf(callerAddress(request)), goneSignal(reply))
    const feed = await useFeed(deps.databases, secret).finally(turn.end)
    // The cast holds: the address has been compared with the names of these formats.
    return answerFeed(deps, feed, format as keyof typeof formats, reply)
  })
}
