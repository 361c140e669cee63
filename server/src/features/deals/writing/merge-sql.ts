import pg from 'pg'
import { unwaited } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { comparison, list, written } from './comparison-sql.ts'
import { stagedColumns } from './fields.ts'
import { importedFacts } from './old-facts.ts'
import { points, unbegunGaps } from './points-sql.ts'
import { noState, recordedIds, recordedState, recording } from './recording.ts'

// What foldText leaves of a title in plain ASCII, PostgreSQL makes of it by itself.
const foldedTitle = (staged: string) => `coalesce(${staged}, lower(title collate "C"))`

/** What holds for all rows of a body: which of the fields that an empty cell clears it has a column for, and which import it is. */
export type MergeRules = {
  domain: string
  hasOriginalPrice: boolean
  hasAvailability: boolean
  /** Whether what it saw may be kept as history: without it, it writes no price points, and only takes back gaps at ends that it puts off. */
  keepsHistory: boolean
  importId: number | null
}

/**
 * Some staged rows, with the `stagedColumns`, in the temporary `table` of a connection: at most `count`, as rules may have taken some
 * out. Where they are few they come along with each statement instead, and `rows` is the JSON of a list with a list of texts and nulls
 * for each.
 */
export type StagedPart = {
  client: pg.ClientBase
  table: string
  count: number
  rows?: string
  noted?: Noted | undefined
}

/**
 * How far the rows of a staged table have been looked through for those that merging would only count, by which rules, and what was found. They
 * are listed in a table beside it until they are taken out.
 */
export type Noted = Record<'rows' | 'unchanged' | 'hidden' | 'over' | 'row', number> & {
  rules: MergeRules
  place: string
}

/** Some ASINs of a staged part, in order: above `from`, up to and with `to` (null: to the end). */
export type Range = { part: StagedPart; from: string; to: string | null }

export type MergeCounts = {
  created: number
  updated: number
  unchanged: number
  superseded: number
  hidden: number
  over: number
  /** Price points that begin with it, also of deals that are unchanged. */
  points: number
  recorded: number[]
}

/** The rows that come along, under the name that statements know them by. */
export const sentRows = 'sent_rows'
const sentColumns = stagedColumns.map(({ name, type }, at) => `(row ->> ${at})::${type} as ${name}`)
const sent = (parameter: string) =>
  `${sentRows} as materialized (select ${sentColumns.join(', ')} from json_array_elements(${parameter}::json) as row)`

const counts = (table: string) => `
  count(*) filter (where step = 'create') as created, count(*) filter (where step = 'update') as updated,
  count(*) filter (where step in ('keep', 'touch')) as unchanged,
  (select count(*) from ${table} where asin > $1 and ($2::text is null or asin <= $2)) - count(*) as superseded,
  count(*) filter (where case when step in ('create', 'update') then availability is null else old_availability is null end) as hidden,
  count(*) filter (where is_over) as over`

const sides = (['old', 'new'] as const).map((side) =>
  recordedState(side, (field) => `${side}_${field}`, 'old_facts'),
)
const factsBefore = importedFacts(
  (column) => `j.old_${column}`,
  (column) => `d.${column}`,
)
const changedFrom = (part: string) => `select deal_id, ${sides.join(', ')} from ${part}`
/**
 * A deal that is what it was, and of whose prices more became known: what is said of them is another now. Where it was seen again too,
 * prices that began meanwhile, not that the last one goes on.
 */
const sameState = (['old', 'new'] as const).map((side) => recordedState(side, (field) => `old_${field}`))
const knownOfPast = `select id, ${sameState.join(', ')} from compared
    where old_is_visible and (
      step = 'keep' and (id in (select deal_id from points)) is true
      or step = 'touch' and not is_next and (id in (select deal_id from points where import_id = $7)) is true
    )`

const writes = (keepsHistory: boolean) => `,
  folded as (
    select c.*, ${foldedTitle('staged_folded')} as title_folded from compared c where step in ('create', 'update')
  ),
  judged as (
    select f.*,
      case when step = 'update' and title = old_title then old_is_blacklisted
        else exists (select from blacklisted_words w where w.is_active and strpos(f.title_folded, w.word) > 0)
      end as is_blacklisted
    from folded f
  ),
  inserted as (
    insert into deals (asin, title_folded, observed_at, is_blacklisted, ${list(written)})
    select asin, title_folded, observed_at, is_blacklisted, ${list(written)}
    from judged where step = 'create' order by asin
    returning asin, id as deal_id, observed_at as sighted_at, ends_at, ${noState('old')}, ${recordedState('new', (field) => field)}
  ),
  updated as (
    update deals d set title_folded = j.title_folded, is_blacklisted = j.is_blacklisted, observed_at = j.observed_at,
      last_updated = now(), ${written.map((name) => `${name} = j.${name}`).join(', ')}
    from judged j where j.step = 'update' and d.id = j.id
    returning d.id as deal_id, ${recordedState('old', (field) => `j.old_${field}`, `case when j.old_is_visible and d.is_visible then ${factsBefore} end`)},
      ${recordedState('new', (field) => `d.${field}`)}
  ),
  touched as (
    -- With both times, as is_over follows from their order: else whatever is older and comes later would show a deal that is over.
    update deals d set observed_at = c.observed_at, ended_at = c.ended_at from compared c where c.step = 'touch' and d.id = c.id
    returning d.id, d.is_visible
  ),
${keepsHistory ? points : unbegunGaps}
  changed as (
    ${changedFrom('inserted')} union all ${changedFrom('updated')}${keepsHistory ? ` union all ${knownOfPast}` : ''}
  ),
  seen_again as (
    select id from touched where is_visible and (id in (select deal_id from changed)) is not true
  ), ${recording({ importId: '$7::bigint', confirmed: 'array(select id from seen_again)' })}`

const merging = (table: string, keepsHistory: boolean) =>
  `${comparison(table)}${writes(keepsHistory)} select ${counts(table)},
    ${keepsHistory ? '(select count(*) from points where import_id = $7)' : '0'} as points, ${recordedIds} from compared`
const comparing = (table: string) =>
  `${comparison(table)} select ${counts(table)}, 0 as points, '{}'::bigint[] as recorded from compared`

// Planning takes longer than merging a few rows, so that is done once a connection.
const mergeSent = prepared('merge sent rows', `with ${sent('$8')}, ${merging(sentRows, true)}`)
const mergeUnrecorded = prepared('merge without history', `with ${sent('$8')}, ${merging(sentRows, false)}`)
const compareSent = prepared('compare sent rows', `with ${sent('$7')}, ${comparing(sentRows)}`)
// Titles have each word many times over: what is asked for is first of all each once.
const unknownWords = (
  titles: string,
  isUnknown = 'not exists (select from title_words known where known.word = piece)',
) =>
  `select piece from (
     select distinct string_to_table(${foldedTitle('title_folded')}, ' ') as piece from ${titles} offset 0
   ) pieces where ${isUnknown}`
/** Of a deal that is stored with the same title nothing can be unknown; of the samples, which go, it may be again. */
const newTitles = (table: string) =>
  `${table} n where not exists (select from deals d where d.asin = n.asin and d.title = n.title and not d.is_sample)`
// Few words are looked up one by one, which PostgreSQL can't make a walk through all known ones of.
const isUnknownOne = '(select true from title_words known where known.word = piece) is null'
const unknownOfSent = prepared(
  'unknown words of sent rows',
  `with ${sent('$1')} ${unknownWords(sentRows, isUnknownOne)}`,
)

/** Writes a range of the staged rows into deals and price points, inside the caller's transaction. */
export async function mergeRange(range: Range, rules: MergeRules): Promise<MergeCounts> {
  const { table, rows } = range.part
  const sentOnes = rules.keepsHistory ? mergeSent : mergeUnrecorded
  const statement = rows === undefined ? { text: `with ${merging(table, rules.keepsHistory)}` } : sentOnes
  return run(statement, range, rules, false, rules.importId)
}

/** What `mergeRange` would come to, without writing; sample deals count as gone, as they will be. */
export async function compareRange(range: Range, rules: MergeRules): Promise<MergeCounts> {
  const { table, rows } = range.part
  return run(rows === undefined ? { text: `with ${comparing(table)}` } : compareSent, range, rules, true)
}

/** Makes the words of all staged titles known to the search, before any deal has them; commits at once. */
export async function learnWords({ client, table, rows }: StagedPart): Promise<void> {
  let pieces = unknownWords(newTitles(table))
  if (rows !== undefined) {
    const unknown = await client.query<{ piece: string }>({ ...unknownOfSent, values: [rows] })
    if (unknown.rows.length === 0) return
    const list = JSON.stringify(unknown.rows.map(({ piece }) => piece))
    pieces = `select piece from json_array_elements_text(${pg.escapeLiteral(list)}) as piece`
  }
  // In one order for everybody: imports at the same time wait for each other's new words, never in a circle.
  await client.query(`${unwaited} insert into title_words ${pieces} order by piece on conflict do nothing`)
}

/** The next range of about `size` rows above an ASIN, never cutting an ASIN's rows apart. */
export async function nextRange(part: StagedPart, from: string, size: number): Promise<Range> {
  const { rows } = await part.client.query<{ asin: string }>(
    `select asin from ${part.table} where asin > $1 order by asin offset $2 limit 1`,
    [from, size],
  )
  return { part, from, to: rows[0]?.asin ?? null }
}

async function run(
  statement: { name?: string; text: string },
  { part, from, to }: Range,
  rules: MergeRules,
  ignoresSamples: boolean,
  ...more: unknown[]
): Promise<MergeCounts> {
  const { domain, hasOriginalPrice, hasAvailability } = rules
  const sent = part.rows === undefined ? [] : [part.rows]
  const values = [from, to, domain, hasOriginalPrice, hasAvailability, ignoresSamples, ...more, ...sent]
  const { rows } = await part.client.query<MergeCounts>({ ...statement, values })
  const found = rows[0]
  if (!found) throw new Error('The merge answered nothing')
  return found
}
