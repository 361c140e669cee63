import type { DealSort } from '@dealdeck/contract/deals'
import {
  mostFeeds,
  mostSearches,
  mostShared,
  type SavedSearch,
  type SearchFeed,
} from '@dealdeck/contract/searches'
import { sql } from 'kysely'
import type { Database, Databases } from '../../platform/database/database.ts'
import { restorableHours } from './rules.ts'

/** Of a search what one member's list needs. */
export type ListedSearch = Omit<SavedSearch, 'new_count' | 'has_more_new'> & {
  /** What came up to this revision of the feed, the member has seen in it. */
  seenRevision: number
}

/** A search as whoever changes it has to know it. */
export type SearchRow = {
  id: number
  owner_id: number
  owner: string
  name: string
  question: string
  sort: DealSort | null
  is_shared: boolean
  updated_at: Date
}

/** The searches that a member has, their own and the group's, in the member's order. */
export async function listSearches(db: Database, userId: number): Promise<ListedSearch[]> {
  const rows = await listedRows(db, userId)
    .where(({ eb, or }) => or([eb('s.owner_id', '=', userId), eb('s.is_shared', '=', true)]))
    // Without a position a member's own stand before the group's.
    .orderBy('v.position', (order) => order.asc().nullsLast())
    .orderBy(({ eb }) => eb('s.owner_id', '!=', userId))
    .orderBy('s.id')
    // Those taken over from a deleted account come on top of the limits.
    .limit(2 * (mostSearches + mostShared))
    .execute()
  return rows.map((row) => toListed(row, userId))
}

/** One search as that list has it, for a member who has it or, as an administrator, has just ended its sharing. */
export async function readListed(
  transaction: Database,
  userId: number,
  id: number,
): Promise<ListedSearch | undefined> {
  const row = await listedRows(transaction, userId).where('s.id', '=', id).executeTakeFirst()
  return row && toListed(row, userId)
}

const listedRows = (db: Database, userId: number) =>
  db
    .selectFrom('saved_searches as s')
    .innerJoin('users as u', 'u.id', 's.owner_id')
    .leftJoin('search_views as v', (join) =>
      join.onRef('v.search_id', '=', 's.id').on('v.user_id', '=', userId),
    )
    .select(['s.id', 's.name', 's.question', 's.sort', 's.is_shared', 's.owner_id', 's.updated_at'])
    .select(['s.made_at_revision', 'u.username', 'v.is_in_row', 'v.opened_at_revision'])
    .where('s.deleted_at', 'is', null)

type ListedRow = Awaited<ReturnType<ReturnType<typeof listedRows>['executeTakeFirstOrThrow']>>

function toListed(row: ListedRow, userId: number): ListedSearch {
  const { id, name, question, sort, is_shared, owner_id, username, updated_at } = row
  return {
    ...{ id, name, q: question, sort, is_shared, owner: username },
    ...{ is_mine: owner_id === userId, is_in_row: row.is_in_row ?? true },
    updated_at: updated_at.toISOString(),
    seenRevision: row.opened_at_revision ?? row.made_at_revision,
  }
}

/** A search that a member has, locked for the rest of the transaction; undefined where there is none of that id. */
export function lockSearch(
  transaction: Database,
  userId: number,
  id: number,
): Promise<SearchRow | undefined> {
  return searchesOf(transaction, userId, id).where('s.deleted_at', 'is', null).executeTakeFirst()
}

/** The same of one that was removed and can still be brought back. */
export function lockRemoved(
  transaction: Database,
  userId: number,
  id: number,
): Promise<SearchRow | undefined> {
  return searchesOf(transaction, userId, id)
    .where('s.deleted_at', '>', sql<Date>`now() - ${restorableHours} * interval '1 hour'`)
    .executeTakeFirst()
}

const searchesOf = (transaction: Database, userId: number, id: number) =>
  transaction
    .selectFrom('saved_searches as s')
    .innerJoin('users as u', 'u.id', 's.owner_id')
    .select(['s.id', 's.owner_id', 'u.username as owner', 's.name', 's.question', 's.sort', 's.is_shared'])
    .select('s.updated_at')
    .where('s.id', '=', id)
    .where(({ eb, or }) => or([eb('s.owner_id', '=', userId), eb('s.is_shared', '=', true)]))
    .forUpdate('s')

/** How many searches a member has, how many of them are shared, and how many the group has. */
export async function countSearches(
  db: Database,
  userId: number,
): Promise<{ own: number; shared: number; group: number }> {
  return db
    .selectFrom('saved_searches')
    .select(({ fn, eb }) => [
      fn.countAll<number>().filterWhere('owner_id', '=', userId).as('own'),
      fn
        .countAll<number>()
        .filterWhere(eb.and([eb('owner_id', '=', userId), eb('is_shared', '=', true)]))
        .as('shared'),
      fn.countAll<number>().filterWhere('is_shared', '=', true).as('group'),
    ])
    .where('deleted_at', 'is', null)
    .where(({ eb, or }) => or([eb('owner_id', '=', userId), eb('is_shared', '=', true)]))
    .executeTakeFirstOrThrow()
}

/** A member's own feeds of a search, the newest first. */
export async function listFeeds(db: Database, userId: number, searchId: number): Promise<SearchFeed[]> {
  const rows = await db
    .selectFrom('search_feeds')
    .select(['id', 'kind', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .where('search_id', '=', searchId)
    .orderBy('id', 'desc')
    .limit(mostFeeds)
    .execute()
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }))
}

export async function countFeeds(db: Database, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('search_feeds')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/** Whether there are removed searches that nobody can bring back any more. */
export async function hasUnrestorable({ customPlanPool }: Databases): Promise<boolean> {
  const { rowCount } = await customPlanPool.query(
    `select from saved_searches where deleted_at < now() - $1 * interval '1 hour' limit 1`,
    [restorableHours],
  )
  return rowCount !== 0
}
