import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { sql } from 'kysely'
import type { Databases } from '../../../platform/database/database.ts'
import { newRowFate, type OtherShopFate, otherShopFate } from '../rules.ts'
import { shopOf } from './staged-rows.ts'
import { type Saying, saidSql, sayingOf } from './waiting-rows.ts'

/** So many decisions about rows of a source are looked at, the newest first. */
const mostDecided = 10_000

/** A source as it is stored. */
export type TriedSource = { id: number; trusted_rules: readonly string[]; refused_rules: readonly string[] }

/** A row of a document that is tried. */
type TriedRow = Saying & { original_price: number | null; title: string }

/**
 * Makes the function that says what would become of a row: by the rules of its source that need nothing that is stored, and by what was decided of
 * the same row before. Of a source that isn't stored yet nothing is decided. `usual`: what items usually cost by what the source itself says.
 */
export async function rowJudge(
  { db }: Pick<Databases, 'db'>,
  marketplace: Marketplace,
  { source, usual }: { source: TriedSource | undefined; usual?: ReadonlyMap<string, number> | undefined },
): Promise<(row: TriedRow) => OtherShopFate> {
  const rules = { trusted: new Set(source?.trusted_rules), refused: new Set(source?.refused_rules) }
  const before = source ? await readDecided(db, source.id) : new Map<string, string>()
  const shop = shopOf(marketplace)
  return (row) => {
    const given = { shop, before: before.get(sayingOf(row)) }
    const isOfOtherShop = row.other_currency !== null || row.other_marketplace !== null
    if (isOfOtherShop) return otherShopFate(row, rules, given)
    return newRowFate({ ...row, typical: usual?.get(row.asin) ?? null }, rules, given)
  }
}

async function readDecided(db: Databases['db'], sourceId: number): Promise<Map<string, string>> {
  const { rows } = await sql<Saying & { state: string }>`
    select ${sql.raw(saidSql)}, state from quarantine
    where source_id = ${sourceId} and state in ('passed', 'refused') order by id desc limit ${mostDecided}`.execute(
    db,
  )
  // Of the same row what was decided last counts.
  return new Map(rows.toReversed().map((row) => [sayingOf(row), row.state]))
}
