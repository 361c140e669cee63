import type pg from 'pg'
import type { OldFacts } from '../writing/old-facts.ts'
import { type RecordedField, recordedFieldNames } from '../writing/recording.ts'

/** A deal's state before or after a change. */
type DealState = { [field in RecordedField]: Types[field] }
/** Of what has been recorded; a field without an entry here doesn't compile. */
type Types = {
  is_visible: boolean
  price: number
  original_price: number | null
  availability: string | null
}

/**
 * A deal that somebody saw before the change or sees after it; null where there is no deal. Both sides are alike where something else
 * changed, such as its title, or where an import made more known of its past prices.
 */
export type DealChange = {
  deal_id: number
  before: DealState | null
  after: DealState | null
  /** What else of it questions ask for and that was different before; null where nothing was, or nobody saw it before or after. */
  old_facts: OldFacts | null
}

/** What one revision did. `import_id` is null for words, samples and whatever else is no import. */
type RecordedRevision = {
  revision: number
  made_at: Date
  import_id: number | null
  changes: DealChange[]
  /** Visible deals that were only seen again. */
  confirmed: number[]
}

/** What a follower reads at once: all revisions above `after` up to `through`. */
export type ReadChanges = {
  after: number
  through: number
  /** The newest revision there was then. */
  current: number
  /** Without a gap, oldest first; empty when `hasMissed`. */
  revisions: RecordedRevision[]
  /**
   * What happened is not known any more: the follower was away for too long, a backup was restored, or a process of the
   * release before wrote. Whoever stores something derived from deals makes it anew from the deals themselves.
   */
  hasMissed: boolean
}

/** Revisions read at once at most. */
const revisionsAtOnce = 10
/**
 * Once so many deals have changed in what was read, no further revision is: taking a thousand apart stops the process for 3 ms. As many
 * as an import writes in one transaction, whose matches are counted as one burst.
 */
const dealsAtOnce = 4_000

const state = (side: 'old' | 'new') => `case when ${side}_is_visible is not null then json_build_object(
  ${recordedFieldNames.map((field) => `'${field}', ${side}_${field}`).join(', ')}) end`

const arrays = [
  ...(['old', 'new'] as const).flatMap((side) => recordedFieldNames.map((field) => `${side}_${field}`)),
  'old_facts',
]

const reading = `
  select state.revision as current, e.revision, e.made_at, e.import_id, e.confirmed, case when e.changes_id is not null then (
    select coalesce(json_agg(json_build_object('deal_id', deal_id, 'before', ${state('old')}, 'after', ${state('new')}, 'old_facts', old_facts)), '[]')
    from unnest(e.deal_ids, ${arrays.map((name) => `e.${name}`).join(', ')}) as deal (deal_id, ${arrays.join(', ')})
  ) end as changes
  from feed_state state left join lateral (
    select event.revision, event.created_at as made_at, event.confirmed, c.id as changes_id, c.import_id, c.deal_ids,
      ${arrays.map((name) => `c.${name}`).join(', ')},
      sum(cardinality(c.deal_ids)) over (order by event.revision rows between unbounded preceding and 1 preceding) as deals_before
    from (select * from feed_events where revision > $1 order by revision limit ${revisionsAtOnce}) event
    left join deal_changes c on c.id = event.changes_id
  ) e on coalesce(e.deals_before, 0) < ${dealsAtOnce}
  order by e.revision`

type Row = { current: number } & (
  | (Omit<RecordedRevision, 'changes'> & { changes: DealChange[] | null })
  | { revision: null }
)

/** What comes after a revision; undefined when nothing does. */
export async function readChanges(client: pg.ClientBase, after: number): Promise<ReadChanges | undefined> {
  const { rows } = await client.query<Row>(reading, [after])
  const current = rows[0]?.current ?? 0
  if (current === after) return undefined
  const revisions: RecordedRevision[] = []
  for (const row of rows) {
    if (row.revision !== after + revisions.length + 1 || row.changes === null) break
    const { revision, made_at, import_id, changes, confirmed } = row
    revisions.push({ revision, made_at, import_id, changes, confirmed })
  }
  const last = revisions.at(-1)
  if (last) return { after, through: last.revision, current, revisions, hasMissed: false }
  const { rows: next } = await client.query<{ first: number | null }>(
    'select min(revision) as first from feed_events e join deal_changes c on c.id = e.changes_id where revision > $1',
    [after],
  )
  const first = next[0]?.first ?? null
  return { after, through: first === null ? current : first - 1, current, revisions: [], hasMissed: true }
}
