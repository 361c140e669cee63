import {
  type MemberItem,
  type MemberItemKind,
  type MemberItemList,
  maximumItems,
} from '@dealdeck/contract/me'
import type { Database, Databases } from '../../platform/database/database.ts'
import { kinds } from './rules.ts'

export const itemColumns = ['id', 'kind', 'value', 'updated_at'] as const

export type ItemRow = { id: number; kind: MemberItemKind; value: MemberItem['value']; updated_at: Date }

/** An entry as it goes over the wire. */
export function toItem({ id, kind, value, updated_at }: ItemRow): MemberItem {
  // The cast holds: rows are written from the contract's union of kinds and values, and PATCH keeps the kind.
  return { id, kind, value, updated_at: updated_at.toISOString() } as MemberItem
}

/** All entries of one member, the oldest first. */
export async function readItems(db: Database, userId: number): Promise<MemberItem[]> {
  const rows = await db
    .selectFrom('member_items')
    .select(itemColumns)
    .where('user_id', '=', userId)
    // A newer process may have written others.
    .where('kind', 'in', Object.keys(kinds) as MemberItemKind[])
    .orderBy('id')
    .limit(Object.keys(kinds).length * maximumItems)
    .execute()
  return rows.map(toItem)
}

/** What the member's devices show. */
export async function listItems({ db }: Databases, userId: number): Promise<MemberItemList> {
  return { user_id: userId, items: await readItems(db, userId) }
}
