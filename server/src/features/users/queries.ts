import type { UserListInput, UserPage, UserRecord } from '@dealdeck/contract/users'
import { type ExpressionBuilder, sql } from 'kysely'
import type { Database } from '../../platform/database/database.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { nameKey } from '../session/rules.ts'
import { readCursor, writeCursor } from './rules.ts'

/** One page of the accounts that match, newest first, and how many there are on all pages. */
export async function listUsers(db: Database, query: UserListInput): Promise<UserPage> {
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor)
  const matching = db
    .selectFrom('users')
    // Old names are stored as they were typed, composed or not: both sides in the one form.
    .$if(query.search !== '', (users) =>
      users.where(sql<boolean>`strpos(lower(normalize(username, nfkc)), ${nameKey(query.search)}) > 0`),
    )
    .$if(query.role !== undefined, (users) => users.where('role', '=', query.role ?? 'user'))
    .$if(query.status !== undefined, (users) => users.where('status', '=', query.status ?? 'approved'))
    .$if(query.is_active !== undefined, (users) => users.where('is_active', '=', query.is_active ?? true))
  const [rows, { total }] = await Promise.all([
    matching
      .select(recordColumns)
      .$if(cursor !== undefined, (users) =>
        users.where(
          sql<boolean>`(created_at, id) < ('epoch'::timestamptz + ${cursor?.micros ?? 0}::bigint * interval '1 microsecond', ${cursor?.id ?? 0}::bigint)`,
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(query.limit + 1)
      .execute(),
    matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  const last = rows.length > query.limit ? rows[query.limit - 1] : undefined
  return {
    items: rows.slice(0, query.limit).map(toRecord),
    next_cursor: last ? writeCursor(last) : null,
    total,
  }
}

/** An account as it goes over the wire; undefined when there is none. */
export async function findUser(db: Database, id: number): Promise<UserRecord | undefined> {
  const row = await db
    .selectFrom('users')
    .select(recordColumns)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return row && toRecord(row)
}

/** An account and what a change of it is compared with, locked until the transaction ends. */
export async function findAccount(transaction: Database, id: number) {
  return transaction
    .selectFrom('users')
    .select(['id', 'username', 'role', 'status', 'is_active', 'updated_at'])
    .where('id', '=', id)
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
}

/** Somebody else who can administrate, the longest there; undefined when nobody can. */
export async function findOtherAdmin(
  db: Database,
  except: number,
): Promise<{ id: number; username: string } | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('role', '=', 'admin')
    .where('status', '=', 'approved')
    .where('is_active', '=', true)
    .where('id', '<>', except)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

function recordColumns(user: ExpressionBuilder<Tables, 'users'>) {
  const live = user
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('live'))
    .whereRef('sessions.user_id', '=', 'users.id')
    .where('expires_at', '>', sql<Date>`now()`)
  const columns = ['id', 'username', 'role', 'status', 'is_active', 'created_at', 'updated_at'] as const
  return [
    ...columns,
    'last_sign_in_at' as const,
    sql<number>`(${live})`.as('live_sessions'),
    sql<number>`(extract(epoch from created_at) * 1000000)::bigint`.as('micros'),
  ] as const
}

type Row = Omit<UserRecord, 'created_at' | 'updated_at' | 'last_sign_in_at'> & {
  created_at: Date
  updated_at: Date
  last_sign_in_at: Date | null
}

/** Written out field by field, so that no column that joins the table ever leaves by itself. */
function toRecord(row: Row): UserRecord {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    status: row.status,
    is_active: row.is_active,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    last_sign_in_at: row.last_sign_in_at?.toISOString() ?? null,
    live_sessions: row.live_sessions,
  }
}
