import {
  type MemberItem,
  type MemberItemChange,
  type MemberItemInput,
  type MergeResult,
  memberItemInputSchema,
} from '@dealdeck/contract/me'
import { sql } from 'kysely'
import { withOwnChanges } from '../../platform/accounts/own-changes.ts'
import type { Database, Databases } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { invalidInput } from '../../platform/http/http-errors.ts'
import { publishItems } from './live.ts'
import { itemColumns, readItems, toItem } from './queries.ts'
import {
  type Compared,
  compared,
  holderOf,
  kinds,
  planMerge,
  refusalOf,
  roomRefusal,
  takenRefusal,
} from './rules.ts'

/** An entry, with what is compared of it. */
type OwnItem = Compared & { item: MemberItem }

const ownItem = (item: MemberItem): OwnItem => ({ ...compared(item), item })

/**
 * Adds an entry to those of a member. Returns it. The very entry twice is one: the one there is, is returned.
 * Throws CONFLICT when its name is taken or there is no room for more.
 */
export async function addItem(
  databases: Databases,
  userId: number,
  input: MemberItemInput,
): Promise<MemberItem> {
  return withOwnItems(databases, userId, async (transaction, items) => {
    const added = compared(input)
    const holder = holderOf(items, added)
    if (holder?.content === added.content && holder.item.value.name === input.value.name) return holder.item
    if (holder) throw takenRefusal(input)
    const refusal = refusalOf(items, added)
    if (refusal) throw refusal
    return insert(transaction, userId, input)
  })
}

/**
 * Replaces the value of a member's own entry. Returns the entry. Throws NOT_FOUND, and CONFLICT when it was changed since
 * `expected_updated_at`, its name is taken or there is no room for it.
 */
export async function changeItem(
  databases: Databases,
  userId: number,
  { id, expected_updated_at, ...input }: MemberItemChange,
): Promise<MemberItem> {
  return withOwnItems(databases, userId, async (transaction, items) => {
    const current = items.find(({ item, kind }) => item.id === id && kind === input.kind)
    if (!current) throw goneRefusal(kinds[input.kind].one)
    refuseIfChanged(current.item, expected_updated_at)
    const others = items.filter((item) => item !== current)
    const next = compared(input)
    if (holderOf(others, next)) throw takenRefusal(input)
    const refusal = roomRefusal([...others, next])
    if (refusal) throw refusal
    const updated = await transaction
      .updateTable('member_items')
      // Two changes within one millisecond still differ, so that the second is noticed.
      .set({
        key_hash: next.key,
        value: JSON.stringify(input.value),
        updated_at: sql`greatest(date_trunc('milliseconds', now()), updated_at + interval '1 millisecond')`,
      })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning(itemColumns)
      .executeTakeFirstOrThrow()
    await publishItems(transaction, userId)
    return toItem(updated)
  })
}

/** Removes a member's own entry. Throws NOT_FOUND, and CONFLICT when it was changed since `expected_updated_at`. */
export async function removeItem(
  databases: Databases,
  userId: number,
  id: number,
  expected_updated_at: string | undefined,
): Promise<void> {
  await withOwnItems(databases, userId, async (transaction, items) => {
    const current = items.find(({ item }) => item.id === id)
    if (!current) throw goneRefusal('entry')
    refuseIfChanged(current.item, expected_updated_at)
    await transaction.deleteFrom('member_items').where('id', '=', id).where('user_id', '=', userId).execute()
    await publishItems(transaction, userId)
  })
}

/**
 * Adds entries that were stored elsewhere to those of a member. Where a name is taken, by other content it gets a number, by
 * the same it counts as known. None keeps another back. Throws CONFLICT when they are meant for another account.
 */
export async function mergeItems(
  databases: Databases,
  userId: number,
  given: readonly unknown[],
  intendedId = userId,
): Promise<MergeResult> {
  if (intendedId !== userId)
    throw new AppError('CONFLICT', 'Another account has signed in on this device in the meantime.')
  return withOwnItems(databases, userId, async (transaction, present) => {
    const items = [...present]
    const results: MergeResult['results'] = []
    for (const one of given) {
      const { data: input, error } = memberItemInputSchema.safeParse(one)
      const planned = input && planMerge(items, input)
      const refusal = error ? invalidInput(error.issues) : planned && refusalOf(items, compared(planned))
      if (refusal) results.push({ result: 'refused', message: refusal.message })
      else if (!planned) results.push({ result: 'known' })
      else {
        items.push(ownItem(await insert(transaction, userId, planned)))
        results.push({ result: 'added' })
      }
    }
    return { results }
  })
}

/**
 * Runs `work` in one transaction as the only writer of a member's entries, which it is given. Throws UNAUTHENTICATED when the account is gone or locked.
 */
function withOwnItems<T>(
  databases: Databases,
  userId: number,
  work: (transaction: Database, items: OwnItem[]) => Promise<T>,
): Promise<T> {
  return withOwnChanges(databases, userId, async (transaction) =>
    work(transaction, (await readItems(transaction, userId)).map(ownItem)),
  )
}

async function insert(transaction: Database, userId: number, input: MemberItemInput): Promise<MemberItem> {
  const row = await transaction
    .insertInto('member_items')
    .values({
      ...{ user_id: userId, kind: input.kind, key_hash: compared(input).key },
      value: JSON.stringify(input.value),
    })
    .returning(itemColumns)
    .executeTakeFirstOrThrow()
  // Many in one transaction are one notification.
  await publishItems(transaction, userId)
  return toItem(row)
}

function refuseIfChanged({ kind, updated_at }: MemberItem, expected: string | undefined): void {
  if (expected === undefined || Date.parse(expected) === Date.parse(updated_at)) return
  const message = `This ${kinds[kind].one} was changed elsewhere in the meantime. Look at it again before you change it.`
  throw new AppError('CONFLICT', message, { fields: { expected_updated_at: message } })
}

const goneRefusal = (one: string) =>
  new AppError('NOT_FOUND', `This ${one} is gone. It was removed elsewhere.`)
