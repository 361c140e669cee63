import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { sql } from 'kysely'
import type { Databases } from '../../../platform/database/database.ts'
import { type OtherShopFate, otherShopFate } from '../rules.ts'
import { shopOf } from './staged-rows.ts'
import { type Saying, saidSql, sayingOf } from './waiting-rows.ts'

/** So many decisions about rows of a source are looked at, the newest first. */
const mostDecided = 10_000

/** A source as it is stored. */
export type TriedSource = { id: number; trusted_rules: readonly string[]; refused_rules: readonly string[] }

/**
 * Makes the function that says what would become of a row of another shop: by the rules of its source, and by what was decided of the same row
 * before. Of a source that isn't stored yet nothing is decided.
 */
export async function otherShopJudge(
  { db }: Pick<Databases, 'db'>,
  marketplace: Marketplace,
  source: TriedSource | undefined,
): Promise<(row: Saying) => OtherShopFate> {
  const rules = { trusted: new Set(source?.trusted_rules), refused: new Set(source?.refused_rules) }
  const before = source ? await readDecided(db, source.id) : new Map<string, string>()
  const shop = shopOf(marketplace)
  return (row) => otherShopFate(row, rules, { shop, before: before.get(sayingOf(row)) })
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
