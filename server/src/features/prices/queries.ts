import type { PricePoint } from '@dealdeck/contract/prices'
import type pg from 'pg'
import { AppError } from '../../platform/errors.ts'

/** Points of a deal that are read at most, the newest. */
const mostPoints = 1_000

const timeText = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The observed prices of a deal, oldest first, the newest 1,000 of them; NOT_FOUND when it isn't there or hidden from this caller. */
export async function listPrices(pool: pg.Pool, id: number, includeHidden: boolean): Promise<PricePoint[]> {
  const { rows } = await pool.query<PricePoint>(
    `select p.price, p.original_price, ${timeText('p.seen_at')} as seen_at, ${timeText('p.confirmed_until')} as confirmed_until,
       case when p.import_id is not null
         then json_build_object('import_id', p.import_id, 'source', coalesce(i.handed_in_by, 'an import that broke off')) end as origin,
       false as is_suspect, false as is_wrong
     from price_points p left join imports i on i.id = p.import_id
     where p.deal_id = $1 and exists (select from deals where id = $1 and (is_visible or $2))
     order by p.seen_at desc limit ${mostPoints}`,
    [id, includeHidden],
  )
  if (rows.length === 0) await requireDeal(pool, id, includeHidden)
  return rows.reverse()
}

/** NOT_FOUND when the deal isn't there or hidden from this caller. */
async function requireDeal(pool: pg.Pool, id: number, includeHidden: boolean): Promise<void> {
  const { rowCount } = await pool.query('select from deals where id = $1 and (is_visible or $2)', [
    id,
    includeHidden,
  ])
  if (rowCount === 0) throw new AppError('NOT_FOUND', 'This deal is no longer available.')
}
