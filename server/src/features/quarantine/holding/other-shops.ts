import { isOfOtherShop } from '../../deals/writing/fields.ts'
import type { StagedPart } from '../../deals/writing/merge-sql.ts'
import type { Holding } from './waiting-rows.ts'

/** What was let through of an item: this price in this currency of this shop. */
const wasPassed = `exists (select from quarantine q where q.source_id = $1 and q.state = 'passed' and q.asin = t.asin
  and (q.deal ->> 'price')::numeric = t.price and q.deal ->> 'other_currency' is not distinct from t.other_currency
  and q.deal ->> 'other_marketplace' is not distinct from t.other_marketplace)`

/**
 * Settles what of the rows of other shops is to be looked at: beside a row of this shop the same item of another says nothing, and where all
 * rules that object are trusted, or somebody has let the same through before, a row is as good as one of this shop. Of what is left the newest
 * row of each item counts; returns how many rows were left out for another of their item.
 */
export async function settleOtherShops(
  part: StagedPart,
  { sourceId, trusted, refused }: Pick<Holding, 'sourceId' | 'trusted' | 'refused'>,
): Promise<number> {
  if (part.count === 0) return 0
  const beside = await leaveOutBesideOwn(part)
  const { rowCount } = await part.client.query(
    `update ${part.table} t set other_currency = null, other_marketplace = null
     where ${isOfOtherShop('t')} and ((other_currency is null or $2) and (other_marketplace is null or $3)
       or (other_currency is null or not $4) and (other_marketplace is null or not $5) and ${wasPassed})`,
    [
      ...[sourceId, trusted.has('currency'), trusted.has('marketplace')],
      ...[refused.has('currency'), refused.has('marketplace')],
    ],
  )
  const besidePassed = rowCount ? await leaveOutBesideOwn(part) : 0
  return beside + besidePassed + (await leaveOutOlder(part))
}

async function leaveOutOlder({ client, table }: StagedPart): Promise<number> {
  const { rowCount } = await client.query(
    `delete from ${table} t using (
       select asin, row_no, row_number() over (partition by asin order by observed desc, row_no desc) as place from ${table} o where ${isOfOtherShop('o')}
     ) older where older.place > 1 and t.asin = older.asin and t.row_no = older.row_no`,
  )
  return rowCount ?? 0
}

async function leaveOutBesideOwn({ client, table }: StagedPart): Promise<number> {
  const { rowCount } = await client.query(
    `delete from ${table} t using (select distinct asin from ${table} o where not ${isOfOtherShop('o')}) own
     where own.asin = t.asin and ${isOfOtherShop('t')}`,
  )
  return rowCount ?? 0
}
