import type { AuditAction, AuditKind, AuditState } from '@dealdeck/contract/audit'
import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Database } from '../../platform/database/database.ts'

/** Who makes a change: `requireSession(request).user`. */
export type Actor = { id: number; username: string }

/** One change by an administrator. `before` is null for what is new, `after` for what is gone. */
export type Change = {
  actor: Actor
  action: AuditAction
  subject: { kind: AuditKind; id: number | null; name: string }
  /** The fields that matter, by name. Of a secret only whether it changed: `{ password_changed: true }`. */
  before: AuditState | null
  after: AuditState | null
}

/**
 * Writes a change into the audit list. Call it inside the transaction that makes the change, with its connection, so
 * that neither is ever there without the other. Throws when a state carries what looks like a secret.
 */
export async function recordChange(client: pg.ClientBase | Database, change: Change): Promise<void> {
  await recordChanges(client, [change])
}

/** The same for many changes at once, in their order. */
export async function recordChanges(
  client: pg.ClientBase | Database,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return
  const values = [JSON.stringify(changes.map(toRow))]
  if ('query' in client) await client.query(insertEntries, values)
  else await client.executeQuery(CompiledQuery.raw(insertEntries, values))
}

const insertEntries = `
  insert into audit_entries (actor_id, actor_name, action, subject_kind, subject_id, subject_name, before, after)
  select c.actor_id, c.actor_name, c.action, c.subject_kind, c.subject_id, c.subject_name, c.before, c.after
  from json_array_elements($1::json) with ordinality as given(change, place),
    json_to_record(given.change) as c(actor_id bigint, actor_name text, action text, subject_kind text,
      subject_id bigint, subject_name text, before jsonb, after jsonb)
  order by given.place`

function toRow({ actor, action, subject, before, after }: Change) {
  for (const state of [before, after]) refuseSecrets(state)
  return {
    actor_id: actor.id,
    actor_name: actor.username,
    action,
    subject_kind: subject.kind,
    subject_id: subject.id,
    subject_name: subject.name,
    before,
    after,
  }
}

/** A field named like a secret may say yes or no about it, and nothing else. */
function refuseSecrets(state: AuditState | null): void {
  for (const [name, value] of Object.entries(state ?? {})) {
    if (typeof value === 'boolean' || !/pass|hash|secret|token|cookie|session/i.test(name)) continue
    throw new Error(`The audit list must not hold '${name}'`)
  }
}
