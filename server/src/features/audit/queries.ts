import type { AuditEntry, AuditListInput, AuditPage } from '@dealdeck/contract/audit'
import { sql } from 'kysely'
import type { Databases } from '../../platform/database/database.ts'
import { readCursor, writeCursor } from './rules.ts'

/** A page of the entries that pass every filter given, newest first. Entries that come meanwhile move nothing. */
export async function listEntries({ db }: Databases, input: AuditListInput): Promise<AuditPage> {
  const { actor, kind, action, from, to, limit } = input
  let query = db.selectFrom('audit_entries').selectAll()
  if (actor) query = query.where('actor_name', '=', actor)
  if (kind) query = query.where('subject_kind', '=', kind)
  if (action) query = query.where('action', '=', action)
  if (from) query = query.where('at', '>=', new Date(from))
  if (to) query = query.where('at', '<', new Date(to))
  if (input.cursor) {
    const { at, id } = readCursor(input.cursor)
    query = query.where(sql<boolean>`(at, id) < (${new Date(at)}, ${id})`)
  }
  const rows = await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const items = shown.map(
    (row): AuditEntry => ({
      id: row.id,
      at: row.at.toISOString(),
      actor: { id: row.actor_id, username: row.actor_name },
      action: row.action,
      subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
      before: row.before,
      after: row.after,
    }),
  )
  return { items, next_cursor: last ? writeCursor({ at: last.at.getTime(), id: last.id }) : null }
}

/** The names of all who ever changed something, alphabetically, 500 at most. */
export async function listActors({ customPlanPool }: Databases): Promise<string[]> {
  // From one name to the next through the index, instead of reading every entry.
  const { rows } = await customPlanPool.query<{ name: string }>(
    `with recursive names as (
       (select actor_name as name from audit_entries order by actor_name limit 1)
       union all
       select (select actor_name from audit_entries where actor_name > names.name order by actor_name limit 1)
       from names where names.name is not null
     ) select name from names where name is not null limit 500`,
  )
  return rows.map(({ name }) => name)
}
