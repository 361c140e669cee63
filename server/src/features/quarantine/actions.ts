import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import type pg from 'pg'
import type { Clock } from '../../platform/clock.ts'
import type { Databases } from '../../platform/database/database.ts'
import { type Actor, recordChange } from '../audit/actions.ts'
import { importBody, type Staged, unseenBodies } from '../ingest/actions.ts'
import { rowsDecided } from '../sources/actions.ts'
import { acceptSizes } from './holding/accepted-sizes.ts'
import { bodiesOf } from './holding/held-deals.ts'
import { rememberPassed, rememberTerms, rememberTitles } from './holding/remembering.ts'
import { type Screened, type ScreeningOptions, screenStaged } from './holding/screening.ts'
import { refuseRules, trustRules } from './holding/source-rules.ts'
import { type ChosenRows, inTransaction, type OfSource, take } from './holding/taking.ts'
import { rowJudge } from './holding/trying.ts'
import { dropHeldAgain } from './holding/waiting-rows.ts'

type QuarantineDeps = { databases: Databases; marketplace: Marketplace; clock: Clock }

/** Looks at a document of a source before it is merged, and takes what is doubtful out of it; see `Screened`. */
export function screen(staged: Omit<Staged, 'refused'>, options: ScreeningOptions): Promise<Screened> {
  return screenStaged(staged, options)
}

/** Makes the function that says what would become of a row of a source, or of one that isn't stored yet; see `rowJudge`. */
export function judgeRows(...given: Parameters<typeof rowJudge>): ReturnType<typeof rowJudge> {
  return rowJudge(...given)
}

/**
 * How many rows it was done to, and of how many of them nothing came; some can't be read and wait still, and the others had been decided, or
 * had changed, meanwhile.
 */
type Decided = { decided: number; gone: number; unchanged: number; unreadable: number }

/**
 * Imports held rows under the name of their source, as they were seen then. With `trust` their rules hold nothing of these sources any
 * more. Of two who decide at once each row is one's. Where it fails in the middle, what isn't imported by then waits again.
 */
export async function releaseRows(
  deps: QuarantineDeps,
  { trust, ...chosen }: ChosenRows & { trust: boolean },
  actor: Actor,
): Promise<Decided> {
  const { databases } = deps
  const sources = await take(databases, chosen, 'released')
  const taken = sources.flatMap(({ rows }) => rows.map(({ id }) => id))
  const left = new Set(taken)
  let changed = 0
  const atWork = sayAtWork(databases, taken)
  try {
    for (const source of sources) {
      const terms = { keepsHistory: source.keeps_history, now: deps.clock() }
      for (const { rows, content } of bodiesOf(source.rows, terms)) {
        const ids = rows.map(({ id }) => id)
        if (content) changed += await importHeld(deps, source.name, ids, content)
        await inTransaction(databases, async (client) => {
          if (content) await dropHeldAgain(client, source.id, ids)
          await finish(client, { ...source, rows }, trust, actor)
        })
        for (const id of ids) left.delete(id)
      }
    }
  } finally {
    clearInterval(atWork)
    await returnRows(databases.durablePool, [...left])
  }
  const decided = taken.length - left.size
  return { ...goneOf(chosen, taken.length), decided, unchanged: decided - changed, unreadable: left.size }
}

/** Imports rows of a source as one body; returns how many of them changed something. */
async function importHeld(
  deps: QuarantineDeps,
  name: string,
  ids: readonly number[],
  { body, map, history }: NonNullable<ReturnType<typeof bodiesOf>[number]['content']>,
): Promise<number> {
  await rememberTerms(deps.databases, ids)
  await rememberTitles(deps.databases, ids)
  const { created, updated } = await importBody(deps, body, {
    ...{ dry_run: false, map, availability: '', limits: unseenBodies, history },
    ...{ source: name, by: `source ${name}` },
  })
  return created + updated
}

/** What is done of rows along with their import. */
async function finish(client: pg.ClientBase, source: OfSource, trust: boolean, actor: Actor): Promise<void> {
  const ids = source.rows.map(({ id }) => id)
  if (trust) await trustRules(client, source)
  else await rememberPassed(client, ids)
  await client.query(`delete from quarantine where id = any($1) and state <> 'passed'`, [ids])
  await acceptSizes(client, source, 'released')
  await recordDecision(client, 'approve', actor, source, { trusted: trust })
  await rowsDecided(client, source.id)
}

/**
 * Refuses held rows: at the same price they are left out from then on, whether or not a rule objects to them again. With `always` whatever their rules
 * object to of these sources is refused without waiting.
 */
export async function refuseRows(
  { databases }: Pick<QuarantineDeps, 'databases'>,
  { always, ...chosen }: ChosenRows & { always: boolean },
  actor: Actor,
): Promise<Decided> {
  const sources = await take(databases, chosen, 'refused', async (client, taken) => {
    for (const source of taken) {
      if (always) await refuseRules(client, source)
      await acceptSizes(client, source, 'refused')
      await recordDecision(client, 'reject', actor, source, { always_refused: always })
      await rowsDecided(client, source.id)
    }
  })
  const decided = sources.reduce((sum, { rows }) => sum + rows.length, 0)
  return { ...goneOf(chosen, decided), unchanged: 0, unreadable: 0 }
}

/** Of a group nobody has named rows that could be gone. */
const goneOf = ({ ids }: ChosenRows, decided: number) => ({
  decided,
  gone: ids ? new Set(ids).size - decided : 0,
})

/** Makes rows wait again that were taken and whose import came to nothing; a newer one of the same item waits instead. */
async function returnRows(client: pg.Pool | pg.ClientBase, ids: readonly number[]): Promise<void> {
  await client.query(
    `update quarantine q set state = 'held', decided_at = null where id = any($1) and state = 'released'
       and not exists (select from quarantine o where o.source_id = q.source_id and o.asin = q.asin and o.state = 'held')`,
    [ids],
  )
}

/** Whoever releases rows says every so many seconds that it is at work; not heard of for so many, its process was killed. */
const [atWorkSeconds, abandonedSeconds] = [3, 12]
/** Rows of a source that were refused, or let through as another shop's, are remembered so many days, and those that wait without being seen again. */
const keptDays = 90

function sayAtWork({ durablePool }: Databases, ids: readonly number[]): NodeJS.Timeout {
  const say = () =>
    durablePool
      .query(`update quarantine set decided_at = now() where id = any($1) and state = 'released'`, [ids])
      // While the database is away nothing is imported either.
      .catch(() => undefined)
  return setInterval(say, atWorkSeconds * 1_000).unref()
}

/** Whether there is something for `tidyRows`. */
export async function hasUntidyRows({ customPlanPool }: Databases): Promise<boolean> {
  const { rowCount } = await customPlanPool.query(
    `select where ${[['quarantine', abandoned], ...oldRows].map(([table, one]) => `exists (select from ${table} where ${one})`).join(' or ')}`,
  )
  return rowCount === 1
}

const abandoned = `state = 'released' and decided_at < now() - interval '${abandonedSeconds} seconds'`
const longAgo = `now() - interval '${keptDays} days'`
const oldRows = [
  ['quarantine', `state = 'held' and seen_at < ${longAgo}`],
  ['quarantine', `state in ('refused', 'passed') and decided_at < ${longAgo}`],
  ['source_titles', `said_at < ${longAgo}`],
]

/**
 * Makes rows wait again whose release was broken off, up to `most` at once and of each item the newest, and forgets what is old. May be
 * done again.
 */
export async function tidyRows(databases: Databases, most = 10_000): Promise<void> {
  await inTransaction(databases, async (client) => {
    const { rows } = await client.query<{ id: number; source_id: number; asin: string }>(
      `select id, source_id, asin from quarantine where ${abandoned} order by id desc limit $1 for update skip locked`,
      [most],
    )
    const newest = new Map(rows.toReversed().map(({ id, source_id, asin }) => [`${source_id} ${asin}`, id]))
    await returnRows(client, [...newest.values()])
    const looked = rows.map(({ id }) => id)
    await client.query(`delete from quarantine where id = any($1) and state = 'released'`, [looked])
  })
  for (const [table, old] of oldRows)
    await databases.durablePool.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${old} limit $1)) and ${old}`,
      [most],
    )
}

async function recordDecision(
  client: pg.ClientBase,
  action: 'approve' | 'reject',
  actor: Actor,
  { id, name, rows }: OfSource,
  more: Record<string, boolean>,
): Promise<void> {
  const rules = [...new Set(rows.map(({ rule }) => rule))].sort().join(', ')
  await recordChange(client, {
    ...{ actor, action, subject: { kind: 'held_row', id, name } },
    ...{ before: null, after: { rows: rows.length, rules, ...more } },
  })
}
