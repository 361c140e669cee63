import type pg from 'pg'
import { readSourceAgain } from '../../sources/actions.ts'
import { baselineSql } from '../../sources/rules.ts'
import { shopRules } from '../rules.ts'

/** Rows of a source of which somebody has decided. */
type DecidedRows = { id: number; rows: readonly { rule: string }[] }

/** Lets the rules of these rows hold nothing of their source any more; what was refused for them is read again. */
export async function trustRules(client: pg.ClientBase, { id, rows }: DecidedRows): Promise<void> {
  const rules = rulesOf(rows)
  const { rowCount: refusing } = await client.query(
    'select from sources where id = $1 and refused_rules && $2 for update',
    [id, rules],
  )
  await client.query(
    `update sources set trusted_rules = ${joined('trusted_rules')}, refused_rules = ${without('refused_rules')},
       baseline = case when ${shopRulesAmong} <@ trusted_rules then baseline else ${baselineSql.withoutSizes} end, ${changedNow} where id = $1`,
    [id, rules, shopRules],
  )
  if (refusing) await readSourceAgain(client, id)
}

/** Lets whatever the rules of these rows object to be refused without waiting. */
export async function refuseRules(client: pg.ClientBase, { id, rows }: DecidedRows): Promise<void> {
  await client.query(
    `update sources set refused_rules = ${joined('refused_rules')}, trusted_rules = ${without('trusted_rules')},
       baseline = case when ${shopRulesAmong} && trusted_rules then ${baselineSql.withoutSizes} else baseline end, ${changedNow} where id = $1`,
    [id, rulesOf(rows), shopRules],
  )
}

const rulesOf = (rows: DecidedRows['rows']) => [...new Set(rows.map(({ rule }) => rule))]
const joined = (list: string) => `array(select distinct unnest(${list} || $2::text[]) order by 1)`
const without = (list: string) => `array(select unnest(${list}) except select unnest($2::text[]) order by 1)`
const shopRulesAmong = 'array(select unnest($2::text[]) intersect select unnest($3::text[]))'
const changedNow = `updated_at = greatest(date_trunc('milliseconds', now()), updated_at + interval '1 millisecond')`
