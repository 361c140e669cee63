import type { PreparedStatement } from '../../../platform/database/prepared.ts'
import type { DealWrites } from '../actions.ts'
import { noFacts } from './old-facts.ts'

/**
 * What of a deal is recorded before and after each change, and read by followers, with its type. A field more is an entry
 * here, two columns of `deal_changes`, and its type in `DealState`.
 */
const recordedFields = {
  is_visible: 'boolean',
  price: 'numeric',
  original_price: 'numeric',
  availability: 'text',
} as const
export type RecordedField = keyof typeof recordedFields

// The table has exactly these keys, which Object.keys can't say.
export const recordedFieldNames = Object.keys(recordedFields) as RecordedField[]
const fields = recordedFieldNames

/** Deals in one record, and ids in one event, at most: an event stays far below what proxies and browsers buffer. */
const dealsPerRecord = 1000

type Side = 'old' | 'new'

/**
 * One side of a change as a list for `select` or `returning`, each field by the expression of its value; `facts` is what else
 * questions ask for and that was different before (`old-facts.ts`). They are needed only where the deal was visible and is.
 */
export const recordedState = (
  side: Side,
  value: (field: RecordedField) => string,
  facts: string = noFacts,
): string => {
  const states = fields.map((field) => `${value(field)} as ${side}_${field}`)
  return [...states, ...(side === 'old' ? [`${facts} as old_facts`] : [])].join(', ')
}

/** The side of a change on which there is no deal. */
export const noState = (side: Side): string =>
  recordedState(side, (field) => `null::${recordedFields[field]}`)

const columns = [
  ...(['old', 'new'] as const).flatMap((side) => fields.map((field) => `${side}_${field}`)),
  'old_facts',
]

/**
 * The end of a statement that writes deals: parts of its `with` that record what became of them. The statement has before it
 * a part `changed` with `deal_id` and both states of each deal, with the old facts, and selects `recordedIds`, which belong into
 * `DealWrites.recorded`. Deals that nobody saw before or after are left out. `importId` is an expression, or a parameter.
 * `confirmed` is an expression for the ids of deals that are shown and whose last sight alone is new: they stand in the first
 * record, alone where nothing else is recorded. Nobody needs to be told of them at once, yet pages with them are others.
 */
export const recording = ({ importId = 'null::bigint', confirmed = "'{}'::bigint[]" } = {}): string => `
  recorded as (
    insert into deal_changes (import_id, deal_ids, ${columns.join(', ')}, confirmed_ids)
    (select ${importId}, array_agg(deal_id), ${columns.map((name) => `array_agg(${name})`).join(', ')},
      case when part = 0 then ${confirmed} else '{}' end
    from (
      select *, (row_number() over () - 1) / ${dealsPerRecord} as part
      from changed where old_is_visible or new_is_visible
    ) numbered
    group by part order by part)
    union all
    select ${importId}, '{}', ${columns.map(() => "'{}'").join(', ')}, ${confirmed}
    where ${confirmed} <> '{}' and not exists (select from changed where old_is_visible or new_is_visible)
    returning id
  )`

/** The ids of the rows that `recording` has written, in the order of their deals. */
export const recordedIds = `(select coalesce(array_agg(id order by id), '{}') from recorded) as recorded`

/** Runs a statement with `recording` and `recordedIds`, so that what it recorded is published. Returns its one row. */
export async function queryRecorded<R extends object>(
  { client, recorded }: DealWrites,
  statement: string | PreparedStatement,
  values: unknown[] = [],
): Promise<R | undefined> {
  const asked = typeof statement === 'string' ? { text: statement } : statement
  const { rows } = await client.query<R & { recorded: number[] }>({ ...asked, values })
  for (const row of rows) recorded.push(...row.recorded)
  return rows[0]
}
