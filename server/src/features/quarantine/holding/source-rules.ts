import type pg from 'pg'
import { shopRules } from '../rules.ts'

/** Rows of a source of which somebody has decided. */
type DecidedRows = { id: number; rows: readonly { rule: string }[] }

/** Lets the rules of these rows hold nothing of their source any more. */
export async function trustRules(client: pg.ClientBase, { id, rows }: DecidedRows): Promise<void> {
  await client.query(
    `update sources set trusted_rules = array(select distinct unnest(trusted_rules || $2::text[]) order by 1),
       -- So many rows more count from now on, and are no surprise.
       baseline = case when array(select unnest($2::text[]) intersect select unnest($3::text[])) <@ trusted_rules then baseline else ${withoutSizes} end,
       updated_at = greatest(date_trunc('milliseconds', now()), updated_at + interval '1 millisecond') where id = $1`,
    [id, [...new Set(rows.map(({ rule }) => rule))], shopRules],
  )
}

const withoutSizes = `case when jsonb_typeof(baseline) = 'object' then baseline - '{sizes,shrunken}'::text[] end`
