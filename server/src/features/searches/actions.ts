import type { RowInput, SavedSearch, SearchChange, SearchInput } from '@dealdeck/contract/searches'
import { sql } from 'kysely'
import { withOwnChanges } from '../../platform/accounts/own-changes.ts'
import type { SignedInUser } from '../../platform/accounts/sessions.ts'
import type { Database, Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { type Actor, recordChange } from '../audit/actions.ts'
import { publishSearches } from './live.ts'
import { countSearches, lockRemoved, lockSearch, readListed, type SearchRow } from './queries.ts'
import {
  restorableHours,
  searchChanged,
  searchesRefusal,
  searchGone,
  sharingRefusal,
  storedQuestion,
} from './rules.ts'

export type Member = Pick<SignedInUser, 'id' | 'username' | 'role'>

/** So many removed searches of a member can be brought back; of more the oldest are deleted. */
const mostRestorable = 50

const revisionNow = sql<number>`(select revision from feed_state)`
// Two changes within one millisecond still differ, so that the second is noticed.
const changedNow = sql<Date>`greatest(date_trunc('milliseconds', now()), updated_at + interval '1 millisecond')`

/** Saves a search of a member's own and returns it. Throws UNPROCESSABLE (a question with faults) and CONFLICT (no room). */
export async function addSearch(
  databases: Databases,
  member: Member,
  { name, q, sort, is_shared }: SearchInput,
): Promise<SavedSearch> {
  const stored = storedQuestion(q, sort, isAdministrator(member))
  return withOwnSearches(databases, member, async (transaction) => {
    const { id } = await insert(transaction, member, { name, ...stored, is_shared })
    await publishSearches(transaction, is_shared ? 'all' : member.id)
    return readSearch(transaction, member, id)
  })
}

/**
 * Changes what is given of a search and returns it. Of a shared one of somebody else an administrator changes the search
 * itself; for anybody else it stays, and a changed copy is added to their own. Throws NOT_FOUND, UNPROCESSABLE, and CONFLICT
 * when it was changed since `expected_updated_at` or there is no room.
 */
export async function changeSearch(
  databases: Databases,
  member: Member,
  id: number,
  { name, q, sort, is_shared, expected_updated_at: expected }: SearchChange,
): Promise<SavedSearch> {
  const asked = q === undefined ? undefined : storedQuestion(q, sort, isAdministrator(member))
  return withOwnSearches(databases, member, async (transaction) => {
    const current = await lockSearch(transaction, member.id, id)
    if (!current) throw searchGone()
    if (expected !== undefined && Date.parse(expected) !== current.updated_at.getTime()) throw searchChanged()
    const next = {
      name: name ?? current.name,
      question: asked?.question ?? current.question,
      sort: asked?.sort ?? (sort === undefined ? current.sort : sort),
    }
    if (!mayEdit(member, current)) {
      const copy = await insert(transaction, member, { ...next, is_shared: is_shared ?? false })
      // What was seen of the one counts for the other.
      await transaction
        .insertInto('search_views')
        .columns(['user_id', 'search_id', 'opened_at_revision'])
        .expression((db) =>
          db
            .selectFrom('search_views')
            .select(['user_id', sql<number>`${copy.id}::bigint`.as('search_id'), 'opened_at_revision'])
            .where('user_id', '=', member.id)
            .where('search_id', '=', id),
        )
        .execute()
      await publishSearches(transaction, is_shared ? 'all' : member.id)
      return readSearch(transaction, member, copy.id)
    }
    if (is_shared && !current.is_shared) await refuseSharing(transaction, current.owner_id)
    await transaction
      .updateTable('saved_searches')
      .set({ ...next, is_shared: is_shared ?? current.is_shared, updated_at: changedNow })
      .where('id', '=', id)
      .execute()
    if (current.owner_id !== member.id)
      await record(transaction, member, current, 'change', {
        ...{ name: next.name, question: next.question, sort: next.sort },
        is_shared: is_shared ?? true,
      })
    await publishSearches(transaction, current.is_shared || is_shared ? 'all' : member.id)
    return readSearch(transaction, member, id)
  })
}

/** Removes a search, for good after a day. Throws NOT_FOUND, and FORBIDDEN for a shared one of somebody else. */
export async function removeSearch(databases: Databases, member: Member, id: number): Promise<void> {
  await withOwnSearches(databases, member, async (transaction) => {
    const current = await lockSearch(transaction, member.id, id)
    if (!current) throw searchGone()
    if (!mayEdit(member, current))
      throw new AppError(
        'FORBIDDEN',
        `Only ${current.owner} and administrators can remove this search. You can take it out of your own row.`,
      )
    await transaction
      .updateTable('saved_searches')
      .set({ deleted_at: sql`now()` })
      .where('id', '=', id)
      .execute()
    await transaction
      .deleteFrom('saved_searches')
      .where('id', 'in', (db) =>
        db
          .selectFrom('saved_searches')
          .select('id')
          .where('owner_id', '=', current.owner_id)
          .where('deleted_at', 'is not', null)
          .orderBy('deleted_at', 'desc')
          .orderBy('id', 'desc')
          .offset(mostRestorable)
          .limit(mostRestorable),
      )
      .execute()
    if (current.owner_id !== member.id) await record(transaction, member, current, 'remove', null)
    await publishSearches(transaction, current.is_shared ? 'all' : member.id)
  })
}

/**
 * Brings back a search that was removed within the last day, with its id, its feeds and its place in everybody's row. Throws NOT_FOUND, and
 * CONFLICT when there is no room any more.
 */
export async function restoreSearch(databases: Databases, member: Member, id: number): Promise<SavedSearch> {
  return withOwnSearches(databases, member, async (transaction) => {
    const removed = await lockRemoved(transaction, member.id, id)
    if (!removed || !mayEdit(member, removed)) throw searchGone()
    await refuseMore(transaction, removed.owner_id)
    if (removed.is_shared) await refuseSharing(transaction, removed.owner_id)
    await transaction.updateTable('saved_searches').set({ deleted_at: null }).where('id', '=', id).execute()
    if (removed.owner_id !== member.id)
      await recordChange(transaction, {
        ...{ actor: member, action: 'add', subject: { kind: 'search', id, name: removed.name } },
        ...{ before: null, after: stateOf(removed) },
      })
    await publishSearches(transaction, removed.is_shared ? 'all' : member.id)
    return readSearch(transaction, member, id)
  })
}

/** Notes that a member has seen what is in a search by now. Throws NOT_FOUND. */
export async function openSearch(databases: Databases, member: Member, id: number): Promise<void> {
  await withOwnSearches(databases, member, async (transaction) => {
    if (!(await lockSearch(transaction, member.id, id))) throw searchGone()
    await transaction
      .insertInto('search_views')
      .values({ user_id: member.id, search_id: id, opened_at_revision: revisionNow })
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'search_id']).doUpdateSet({ opened_at_revision: revisionNow }),
      )
      .execute()
    await publishSearches(transaction, member.id)
  })
}

/** Puts a member's searches in the order of these, those first, and says which of them stand above the deals. */
export async function arrangeSearches(
  databases: Databases,
  member: Member,
  { items }: RowInput,
): Promise<void> {
  await withOwnSearches(databases, member, async (transaction) => {
    const ids = items.map(({ id }) => id)
    const shown = items.map(({ is_in_row }) => is_in_row)
    // What the member doesn't have (any more) is left out.
    await sql`insert into search_views (user_id, search_id, position, is_in_row)
      select ${member.id}, s.id, min(given.position), bool_and(given.is_in_row)
      from unnest(${ids}::bigint[], ${shown}::boolean[]) with ordinality as given (id, is_in_row, position)
      join saved_searches s on s.id = given.id and (s.owner_id = ${member.id} or s.is_shared)
      group by s.id
      on conflict (user_id, search_id) do update set position = excluded.position, is_in_row = excluded.is_in_row`.execute(
      transaction,
    )
    // Those that a page didn't know of stand behind, in their order; a removed one keeps its place.
    await sql`update search_views v set position = v.position + ${ids.length}
      from saved_searches s where s.id = v.search_id and s.deleted_at is null
      and v.user_id = ${member.id} and v.position is not null and v.search_id <> all(${ids}::bigint[])`.execute(
      transaction,
    )
    await publishSearches(transaction, member.id)
  })
}

/**
 * Gives what a member shares with the group to an administrator, because the account is about to be deleted; call it in the transaction
 * that does so. Their other searches go with the account.
 */
export async function handOverShared(
  transaction: Database,
  { id, username }: Actor,
  heir: Actor,
  actor: Actor,
): Promise<void> {
  // Nothing more is shared by the account until it is gone.
  await transaction.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute()
  const given = await transaction
    .updateTable('saved_searches')
    .set({ owner_id: heir.id, updated_at: changedNow })
    .where('owner_id', '=', id)
    .where('is_shared', '=', true)
    .where('deleted_at', 'is', null)
    .returning(['id', 'name'])
    .execute()
  for (const { id: searchId, name } of given)
    await recordChange(transaction, {
      ...{ actor, action: 'change', subject: { kind: 'search', id: searchId, name } },
      ...{ before: { owner: username }, after: { owner: heir.username } },
    })
  if (given.length > 0) await publishSearches(transaction, 'all')
}

/** Deletes what nobody can bring back any more. May be done again. */
export async function purgeSearches({ durablePool }: Databases): Promise<void> {
  await durablePool.query(`delete from saved_searches where deleted_at < now() - $1 * interval '1 hour'`, [
    restorableHours,
  ])
}

/** Runs `work` as the only writer of a member's searches. Throws UNAUTHENTICATED when the account is gone or locked. */
export function withOwnSearches<T>(
  databases: Databases,
  { id }: Pick<Member, 'id'>,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return withOwnChanges(databases, id, work)
}

const isAdministrator = ({ role }: Pick<Member, 'role'>) => role === 'admin'

const mayEdit = (member: Member, { owner_id }: SearchRow) => owner_id === member.id || isAdministrator(member)

type Content = Pick<SearchRow, 'name' | 'question' | 'sort' | 'is_shared'>

async function insert(transaction: Database, { id }: Member, content: Content): Promise<{ id: number }> {
  await refuseMore(transaction, id)
  if (content.is_shared) await refuseSharing(transaction, id)
  return transaction
    .insertInto('saved_searches')
    .values({ ...content, owner_id: id, made_at_revision: revisionNow })
    .returning('id')
    .executeTakeFirstOrThrow()
}

async function refuseMore(transaction: Database, ownerId: number): Promise<void> {
  const refusal = searchesRefusal((await countSearches(transaction, ownerId)).own)
  if (refusal) throw refusal
}

async function refuseSharing(transaction: Database, ownerId: number): Promise<void> {
  const { shared, group } = await countSearches(transaction, ownerId)
  const refusal = sharingRefusal(shared, group)
  if (refusal) throw refusal
}

/** The search as its member's list has it; what is new in it is not counted here. */
async function readSearch(transaction: Database, { id: userId }: Member, id: number): Promise<SavedSearch> {
  const found = await readListed(transaction, userId, id)
  if (!found) throw new Error('a search vanished inside its own transaction')
  const { seenRevision: _, ...search } = found
  return { ...search, new_count: null, has_more_new: false }
}

const stateOf = ({ name, question, sort, is_shared, owner }: SearchRow) => ({
  ...{ name, question, sort, is_shared, owner },
})

async function record(
  transaction: Database,
  actor: Member,
  before: SearchRow,
  action: 'change' | 'remove',
  after: Content | null,
): Promise<void> {
  const subject = { kind: 'search' as const, id: before.id, name: before.name }
  await recordChange(transaction, {
    ...{ actor: { id: actor.id, username: actor.username }, action, subject },
    ...{ before: stateOf(before), after: after && { ...after, owner: before.owner } },
  })
}
