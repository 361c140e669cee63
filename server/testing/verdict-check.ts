import { recordedFieldNames } from '../src/features/deals/writing/recording.ts'
import { verdictFollower } from '../src/features/prices/jobs.ts'
import { type HistoryRow, historyColumns, pointsOfDeal, toHistory } from '../src/features/prices/queries.ts'
import { judgeHistory, toStored } from '../src/features/prices/rules.ts'
import { readSettings } from '../src/platform/settings.ts'

type Row = HistoryRow & { asin: string; computed_ms: number; stored: Record<string, unknown> }

const { MARKETPLACE: marketplace } = readSettings({})

/** The columns that must be as a judgement of the points at `computed_at` has them. */
const compared = ['kind', 'verdict', 'typical', 'low_30', 'low_90', 'low_365'] as const

const fieldsOf = (side: 'old' | 'new') => recordedFieldNames.map((field) => `c.${side}_${field}`).join(', ')

/**
 * The deals of which something happened that is not marked yet: of those nothing is known to be due. All deals, where what happened isn't
 * recorded without a gap, or nobody follows.
 */
const unmarked = `with behind as (
    select f.position, s.revision from feed_state s left join followers f on f.name = '${verdictFollower}'
  ), happened as (
    -- A verdict that was stored is a change too, and marks nothing.
    select case when c.import_id is null and (${fieldsOf('old')}) is not distinct from (${fieldsOf('new')}) then '{}' else c.deal_ids end
      || e.confirmed as ids
    from behind b join feed_events e on e.revision > b.position join deal_changes c on c.id = e.changes_id
  ), unmarked as (
    select d.id from deals d, behind b where (select count(*) from happened) is distinct from b.revision - b.position
    union select d.id from deals d, price_state p where d.id > p.next_deal
    union select unnest(ids) from happened
  )`

/**
 * Verdicts of visible deals that are not due, as far as changes are marked, and differ from what their points say as of when they were found out, a line each. Reads all
 * deals at once, for small installations. `query` answers with rows; money in dollars.
 */
export async function findUntrueVerdicts(query: (sql: string) => Promise<Row[]>): Promise<string[]> {
  const rows = await query(
    `${unmarked} select d.asin, ${historyColumns}, floor(extract(epoch from v.computed_at) * 1000)::float8 as computed_ms,
       json_build_object('kind', v.kind, 'verdict', d.verdict, 'typical', v.typical, 'low_30', v.low_30, 'low_90', v.low_90,
         'low_365', v.low_365) as stored
     from price_verdicts v join deals d on d.id = v.deal_id ${pointsOfDeal}
     -- What was only confirmed since is due again within six hours, and a verdict by itself after an hour at the soonest.
     where v.due_at > greatest(now(), v.computed_at + interval '6 hours 5 minutes') and v.computed_at is not null and d.is_visible
       and d.id not in (select id from unmarked)
     order by d.id`,
  )
  return rows.flatMap(({ asin, computed_ms, stored, ...row }) => {
    const judgement = judgeHistory(toHistory(row), computed_ms, marketplace)
    const right = toStored(0, '', judgement)
    const wrong = compared.filter((name) => right[name] !== stored[name])
    return wrong.map(
      (name) => `${asin}: ${name} is ${String(stored[name])} instead of ${String(right[name])}`,
    )
  })
}
