import { hash } from 'node:crypto'
import { type Condition, leavesOf } from '@dealdeck/query/question'
import { sayQuestion } from '@dealdeck/query/words'
import type { FastifyReply } from 'fastify'
import type { Stamp } from '../../../platform/database/epoch.ts'
import type { AppDeps } from '../../../platform/deps.ts'
import { makeBody } from '../../../platform/http/feed-cache.ts'
import { clientOf, goneSignal } from '../../../platform/http/gone-signal.ts'
import { originOf } from '../../../platform/http/hosts.ts'
import type { MemberGate } from '../../../platform/limits/member-gate.ts'
import { money } from '../../../platform/money.ts'
import { startOfDay } from '../../deals/rules.ts'
import type { AskDeals } from '../../deals/searching/answers.ts'
import { mayDependOnClock } from '../../deals/searching/asking.ts'
import { openCondition } from '../rules.ts'
import type { ReadableFeed } from './addresses.ts'
import { listEntries } from './entries.ts'
import { type FeedFormat, formats } from './formats.ts'

export type FeedDeps = Pick<AppDeps, 'databases' | 'settings' | 'clock'> & {
  ask: AskDeals
  /** Whose turn it is to search for deals: a feed is read in the turns of its member. */
  searches: MemberGate
  /** The revision of all that is seen now; null while nobody can tell. */
  trustedStamp: () => Stamp | null
}

/** Another one where a release writes the same deals differently. */
const version = 3
const maxAgeSeconds = 300

/** Answers with a feed; without asking for a single deal where the reader has what it would be. */
export async function answerFeed(
  deps: FeedDeps,
  feed: ReadableFeed,
  format: FeedFormat,
  reply: FastifyReply,
) {
  const { request } = reply
  const origin = originOf(request, deps.settings.PUBLIC_URL)
  const now = Math.floor(deps.clock().getTime() / 60_000) * 60_000
  const stamp = deps.trustedStamp()
  let etag: string | undefined
  reply.headers({ 'cache-control': `private, max-age=${maxAgeSeconds}`, 'x-robots-tag': 'noindex' })
  if (stamp) {
    const minute = mayDependOnClock(feed.question) ? now : 0
    // Settings decide where its links lead, and which currency its prices are in.
    const { MARKETPLACE, AFFILIATE_TAG } = deps.settings
    const shop = [MARKETPLACE.domain, AFFILIATE_TAG]
    const parts = [version, format, origin, shop, stamp, feed.id, feed.kind, feed.updated_at, minute]
    const tag = `"${hash('sha256', JSON.stringify(parts), 'base64url')}"`
    etag = `W/${tag}`
    if (request.headers['if-none-match']?.includes(tag)) return reply.header('etag', etag).status(304).send()
  }
  const turn = await deps.searches.enter(`user ${feed.user_id}`, goneSignal(reply))
  try {
    const body = await makeBody(
      (signal) => write(deps, feed, format, { origin, now, signal }),
      clientOf(reply),
    )
    // Not before: an error has no tag.
    if (etag !== undefined) reply.header('etag', etag)
    return reply.type(formats[format].type).send(body.plain)
  } finally {
    turn.end()
  }
}

const isPrice = (leaf: Condition) => leaf.kind === 'number' && leaf.field === 'price'

type Asked = { origin: string; now: number; signal: Parameters<Parameters<typeof makeBody>[0]>[0] }

async function write(
  { databases, settings, clock, ask }: FeedDeps,
  { kind, uid, name, question, sort, updated_at }: ReadableFeed,
  format: FeedFormat,
  { origin, now, signal }: Asked,
): Promise<string> {
  const marketplace = settings.MARKETPLACE
  const moment = { now, midnight: startOfDay(clock(), 'UTC').getTime() }
  const condition = openCondition(question)
  const entries =
    condition === undefined
      ? []
      : await listEntries({ databases, ask, marketplace, origin, kind, uid, condition, moment, signal })
  const words = sayQuestion(
    { condition: condition ?? null, sort: null },
    { money: (amount) => money(amount, marketplace) },
  )
  // Where nothing is said of a price, the page would add its reader's own highest one.
  const q = leavesOf(condition ?? null).some(isPrice) ? question : `price:any ${question}`.trim()
  const address = new URLSearchParams({ q, ...(sort && { sort }) })
  return formats[format].write({
    id: `tag:dealdeck,2026:${uid}/${kind}`,
    title: kind === 'deals' ? name : `${name}: prices lower than ever`,
    description: words === '' ? 'All deals' : words,
    home: `${origin}/amazon-haul?${address}`,
    updated: new Date(Math.max(Number(updated_at), ...entries.map(({ updated }) => Number(updated)))),
    entries,
  })
}
