import { findUntrueVerdicts } from '../../server/testing/verdict-check.ts'
import type { Installation } from './installation.ts'

type Event = { revision: string; added: string[]; changed: string[]; removed: string[] }

/** Each finds rows that contradict other rows; what it is called is what is wrong. */
const contradictions: Record<string, string> = {
  'deals hidden or shown against the words': `
    select asin from deals d where is_blacklisted is distinct from
      exists (select from blacklisted_words w where w.is_active and strpos(d.title_folded, w.word) > 0)`,
  'deals whose last price point is another price': `
    select asin from deals d where availability is not null and not is_over and price is distinct from
      (select p.price from price_points p where p.deal_id = d.id order by seen_at desc limit 1)`,
  'price points of no deal':
    'select deal_id from price_points p where not exists (select from deals where id = p.deal_id)',
  'verdicts of no deal':
    'select deal_id from price_verdicts v where not exists (select from deals where id = v.deal_id)',
  'deals whose verdict is asked for otherwise than it reads': `
    select asin from deals where (verdict_kind, best_order, under_typical, low_days, price_drop, dropped_at) is distinct from
      (verdict::json->>'kind', coalesce((verdict::json->>'best')::numeric, -999999999.99), (verdict::json->>'under_typical')::smallint,
       (verdict::json->>'low_days')::smallint, (verdict::json->>'drop')::smallint, (verdict::json->>'dropped_at')::timestamptz)`,
  'words of titles the search does not know': `
    select asin, piece from deals, unnest(string_to_array(title_folded, ' ')) as piece
    where not exists (select from title_words where word = piece)`,
  'imports without their audit entry, or entries without their import': `
    select i.id, a.id from (select * from imports where handed_in_by = 'boss') i
    full join (select * from audit_entries where subject_kind = 'import') a on a.subject_id = i.id
    where i.id is null or a.id is null or a.after->>'created' <> i.created::text or a.after->>'updated' <> i.updated::text`,
  'sessions of no user':
    'select id from sessions s where not exists (select from users where id = s.user_id)',
  // Of each thing the newest entry says what it is now, and one that was added or removed is there or isn't.
  'filters that are not as their audit entries say': lastEntry(
    'filter',
    "select id, code as state from amazon_filters where exists (select from audit_entries where subject_kind = 'filter' and subject_id = amazon_filters.id)",
    "coalesce(a.after->>'code', a.before->>'code')",
  ),
  'words that are not as their audit entries say': lastEntry(
    'word',
    'select id, is_active::text as state from blacklisted_words',
    "a.after->>'is_active'",
  ),
  'users that are not as their audit entries say': lastEntry(
    'user',
    "select id, role as state from users where username like 'made %'",
    "a.after->>'role'",
  ),
}

function lastEntry(kind: string, things: string, state: string): string {
  return `
    select t.id, a.subject_id, t.state, a.after from (${things}) t
    full join (select distinct on (subject_id) * from audit_entries where subject_kind = '${kind}'
               order by subject_id, id desc) a on a.subject_id = t.id
    where case when t.id is null then a.action not in ('remove', 'delete')
               else a.id is null or a.action in ('remove', 'delete') or ${state} is distinct from t.state end`
}

/** Reads the events of the feed through the whole life of an installation that began empty. */
export class FeedReplay {
  readonly #visible = new Set<string>()
  readonly #maySkip: boolean
  #revision = 0

  /** `maySkip`: a crash of the database leaves out revisions, so that nobody mistakes new ones for those it took back. */
  constructor(maySkip: boolean) {
    this.#maySkip = maySkip
  }

  /** What is wrong with the events since the last call, and with what they add up to. */
  async check(installation: Installation): Promise<string[]> {
    const problems: string[] = []
    const events = await installation.query<Event>(
      'select revision, added, changed, removed from feed_events where revision > $1 order by revision',
      [this.#revision],
    )
    for (const { revision, added, changed, removed } of events) {
      if (Number(revision) !== this.#revision + 1 && !this.#maySkip)
        return [`Event ${revision} follows ${this.#revision}`]
      this.#revision = Number(revision)
      for (const id of added) if (this.#visible.has(id)) problems.push(`Event ${revision} adds ${id} again`)
      for (const id of [...changed, ...removed])
        if (!this.#visible.has(id)) problems.push(`Event ${revision} is of ${id}, which nobody sees`)
      for (const id of added) this.#visible.add(id)
      for (const id of removed) this.#visible.delete(id)
    }
    const [state] = await installation.query<{ revision: string; ids: string[] }>(
      'select revision, array(select id from deals where is_visible) as ids from feed_state',
    )
    const ahead = Number(state?.revision) - this.#revision
    if (ahead < 0 || (ahead > 0 && !this.#maySkip))
      problems.push(`The feed is at ${state?.revision}, its last event at ${this.#revision}`)
    const ids = new Set(state?.ids ?? [])
    const missed = [...this.#visible].filter((id) => !ids.has(id)).length
    const uncalled = [...ids].filter((id) => !this.#visible.has(id)).length
    if (missed + uncalled > 0) problems.push(`${uncalled} deals came and ${missed} went without an event`)
    return problems.slice(0, 5)
  }
}

/** Everything in the database that contradicts something else in it. */
export async function findContradictions(installation: Installation): Promise<string[]> {
  const problems: string[] = []
  for (const [what, sql] of Object.entries(contradictions)) {
    const rows = await installation.query(sql)
    if (rows.length > 0) problems.push(`${rows.length} ${what}, such as ${JSON.stringify(rows[0])}`)
  }
  problems.push(...(await findUntrueVerdicts((sql) => installation.query(sql))).slice(0, 5))
  return problems
}
