import type { HeldRow, QuarantinePage } from '@dealdeck/contract/quarantine'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { productLink } from '@dealdeck/marketplace/product-links'
import type { Databases } from '../../platform/database/database.ts'
import { labelOf } from './rules.ts'

/** Which of the rows that wait somebody looks at. */
type HeldFilter = { source?: number | undefined; rule?: string | undefined }
type Page = HeldFilter & { limit: number; cursor?: number | undefined }

/** A page of the rows that wait, the newest first, and how many there are of each source and rule; the cursor is the last one's id. */
export async function listHeld(
  { db }: Databases,
  marketplace: Marketplace,
  { source, rule, limit, cursor }: Page,
): Promise<QuarantinePage> {
  let query = db
    .selectFrom('quarantine as q')
    .innerJoin('sources as s', 's.id', 'q.source_id')
    .select(['q.id', 'q.source_id', 's.name', 'q.asin', 'q.rule', 'q.reason', 'q.old', 'q.new', 'q.deal'])
    .select(['q.held_at', 'q.seen_at'])
    .where('q.state', '=', 'held')
  if (source !== undefined) query = query.where('q.source_id', '=', source)
  if (rule !== undefined) query = query.where('q.rule', '=', rule)
  if (cursor !== undefined) query = query.where('q.id', '<', cursor)
  const rows = await query
    .orderBy('q.id', 'desc')
    .limit(limit + 1)
    .execute()
  const shown = rows.slice(0, limit)
  // That counts all rows which wait, and later pages come one after the other.
  const groups = cursor === undefined ? await countHeld({ db }) : []
  const chosen = groups.filter(
    (group) =>
      (source === undefined || group.source_id === source) && (rule === undefined || group.rule === rule),
  )
  return {
    items: shown.map(
      ({
        id,
        source_id,
        name,
        asin,
        rule: held,
        reason,
        old,
        new: now,
        deal,
        held_at,
        seen_at,
      }): HeldRow => ({
        ...{ id, source: { id: source_id, name }, asin, rule: held, reason, old, new: now },
        title: textOf(deal, 'title') ?? '',
        image_url: textOf(deal, 'image_url'),
        product_url: productLink(asin, marketplace.domain),
        ...{ held_at: held_at.toISOString(), seen_at: seen_at.toISOString() },
      }),
    ),
    total: cursor === undefined ? chosen.reduce((sum, group) => sum + group.count, 0) : null,
    next_cursor: rows.length > limit ? String(shown.at(-1)?.id) : null,
    groups,
  }
}

/** How many rows wait of each source and rule. */
async function countHeld({ db }: Pick<Databases, 'db'>): Promise<QuarantinePage['groups']> {
  const rows = await db
    .selectFrom('quarantine as q')
    .innerJoin('sources as s', 's.id', 'q.source_id')
    .select(({ fn }) => ['q.source_id', 's.name as source', 'q.rule', fn.countAll<number>().as('count')])
    .where('q.state', '=', 'held')
    .groupBy(['q.source_id', 's.name', 'q.rule'])
    .orderBy('s.name')
    .orderBy('q.rule')
    // So many sources there are at most, and of each so many rules.
    .limit(5_000)
    .execute()
  return rows.map((row) => ({ ...row, label: labelOf(row.rule) }))
}

function textOf(deal: unknown, name: string): string | null {
  const value: unknown = Object(deal)[name]
  return typeof value === 'string' ? value : null
}
