import { randomBytes } from 'node:crypto'
import type { DealSort } from '@dealdeck/contract/deals'
import { type FeedKind, feedRequestsAnHour, type SearchFeed } from '@dealdeck/contract/searches'
import { hashToken } from '../../../platform/accounts/sessions.ts'
import type { Databases } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Member, withOwnSearches } from '../actions.ts'
import { countFeeds, lockSearch } from '../queries.ts'
import { feedsRefusal, searchGone } from '../rules.ts'

/** What the secret of a feed looks like: 256 random bits. */
export const secretShape = '[A-Za-z0-9_-]{43}'

/**
 * Makes a secret address for one of a member's searches. The secret is returned here once; only its SHA-256 is stored. Throws
 * NOT_FOUND, and CONFLICT when the member has too many.
 */
export async function addFeed(
  databases: Databases,
  member: Member,
  searchId: number,
  kind: FeedKind,
): Promise<SearchFeed & { secret: string }> {
  const secret = randomBytes(32).toString('base64url')
  return withOwnSearches(databases, member, async (transaction) => {
    if (!(await lockSearch(transaction, member.id, searchId))) throw searchGone()
    const refusal = feedsRefusal(await countFeeds(transaction, member.id))
    if (refusal) throw refusal
    const { id, created_at } = await transaction
      .insertInto('search_feeds')
      .values({ search_id: searchId, user_id: member.id, kind, secret_hash: hashToken(secret) })
      .returning(['id', 'created_at'])
      .executeTakeFirstOrThrow()
    return { id, kind, created_at: created_at.toISOString(), last_used_at: null, secret }
  })
}

/** Makes a member's own address worthless at once. Throws NOT_FOUND. */
export async function removeFeed(
  databases: Databases,
  member: Member,
  searchId: number,
  id: number,
): Promise<void> {
  await withOwnSearches(databases, member, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('search_feeds')
      .where('id', '=', id)
      .where('search_id', '=', searchId)
      .where('user_id', '=', member.id)
      .executeTakeFirst()
    if (numDeletedRows === 0n)
      throw new AppError('NOT_FOUND', 'This address is gone. It was removed elsewhere.')
  })
}

/** A feed that may be read now. */
export type ReadableFeed = {
  id: number
  user_id: number
  kind: FeedKind
  uid: string
  name: string
  question: string
  sort: DealSort | null
  updated_at: Date
}

// Whose member is not let in any more, or whose search is removed or not shared any more, is as if it weren't there. What is beyond
// the limit reads one row and writes none.
const using = `
  with found as (
    select f.id, f.user_id, f.kind, s.uid, s.name, s.question, s.sort, s.updated_at,
      extract(epoch from f.hour_began_at + interval '1 hour' - now()) as seconds_left
    from search_feeds f join saved_searches s on s.id = f.search_id join users u on u.id = f.user_id
    where f.secret_hash = $1 and s.deleted_at is null and (s.owner_id = f.user_id or s.is_shared)
      and u.is_active and u.status = 'approved'
  ), counted as (
    update search_feeds f set last_used_at = now(),
      hour_began_at = case when f.hour_began_at > now() - interval '1 hour' then f.hour_began_at else now() end,
      requests_in_hour = case when f.hour_began_at > now() - interval '1 hour' then f.requests_in_hour + 1 else 1 end
    from found where f.id = found.id
      and (f.requests_in_hour < $2 or f.hour_began_at <= now() - interval '1 hour')
    returning f.id
  )
  select found.*, exists (select from counted) as is_within from found`

/**
 * The feed of a secret, and notes that it is read. Throws NOT_FOUND where nobody may read it (any more), and TOO_MANY_REQUESTS
 * after so many in an hour, whatever process answered them.
 */
export async function useFeed({ reservedPool }: Databases, secret: string): Promise<ReadableFeed> {
  const { rows } = await reservedPool.query<ReadableFeed & { seconds_left: number; is_within: boolean }>(
    using,
    [hashToken(secret), feedRequestsAnHour],
  )
  const found = rows[0]
  if (!found) throw noFeed()
  const { is_within, seconds_left, ...feed } = found
  if (is_within) return feed
  throw new AppError(
    'TOO_MANY_REQUESTS',
    `This feed is answered ${feedRequestsAnHour} times an hour. Please ask less often.`,
    { retryAfter: Math.max(1, Math.ceil(seconds_left)) },
  )
}

/** For an address as it was given, which each reader completes. */
export const noFormat = () =>
  new AppError('NOT_FOUND', 'Put .atom, .rss or .json behind this address, whichever your reader takes.')

export const noFeed = () =>
  new AppError('NOT_FOUND', 'There is no feed at this address. It may have been removed.')
