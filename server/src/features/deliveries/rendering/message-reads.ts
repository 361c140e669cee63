import type pg from 'pg'
import { batched } from '../../../platform/batched.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { money } from '../../../platform/money.ts'
import { type ReadDeps, readDealsToTell } from './deal-messages.ts'
import { finderText } from './texts.ts'

/** Has a statement wait for its turn. */
export type InTurn = <Value>(read: () => Promise<Value>) => Promise<Value>

export type MessageReads = ReturnType<typeof messageReads>

/** What messages are made of; what several need at the same time is read in one statement, which waits for its turn. */
export function messageReads(deps: ReadDeps, inTurn: InTurn) {
  const { customPlanPool: pool } = deps.databases
  const together = <Key, Value>(read: (keys: readonly Key[]) => Promise<readonly Value[]>) =>
    batched((keys: readonly Key[]) => inTurn(() => read(keys)))
  return {
    /** The deals of a delivery: with the alerts that found them first, and those that found them since. */
    toldDeals: together((ids: readonly number[]) => readToldDeals(pool, ids)),
    deal: together((ids: readonly number[]) => readDealsToTell(deps, ids)),
    /** What an alert asks; null where it is gone. */
    search: together((alertIds: readonly number[]) => readSearches(deps, alertIds)),
    /** The price that the message before this delivery said of the deal of its episode; null where there was none, or it said none. */
    lastPrice: together((asked: readonly AskedPrice[]) => readLastPrices(pool, asked)),
  }
}

/**
 * A deal of a message, and the alerts that find it. `is_over`: it has ended since, though it may be back: that is told anew.
 * `price` is the one that the message was written down for.
 */
export type ToldDeal = { deal_id: number; alert_ids: number[]; is_over: boolean; price: number | null }

// One delivery after the other, and what ended by its key: left the choice, PostgreSQL reads all that was ever sent for some busy alerts.
const toldDeals = prepared(
  'told deals',
  `select d.delivery_id, d.deal_id, array(
       select unnest(d.alert_ids) union select alert_id from alert_matches m where m.episode_id = d.episode_id and m.is_matching
       order by 1
     ) as alert_ids, (select closed_at is not null from alert_episodes e where e.id = d.episode_id) is true as is_over,
       d.price
     from unnest($1::bigint[]) as given (id)
       cross join lateral (select * from delivery_deals where delivery_id = given.id offset 0) d
     order by d.deal_id`,
)

async function readToldDeals(pool: pg.Pool, ids: readonly number[]): Promise<ToldDeal[][]> {
  const { rows } = await pool.query<ToldDeal & { delivery_id: number }>({
    ...toldDeals,
    values: [[...new Set(ids)]],
  })
  const byDelivery = Map.groupBy(rows, ({ delivery_id }) => delivery_id)
  return ids.map((id) => byDelivery.get(id) ?? [])
}

/** What an alert asks, by the name that messages give it. */
export type Search = {
  id: number
  name: string
  question: string | null
  ownerId: number | null
  /** Whether messages may name it to everybody: shared, or a price that is waited for. */
  isForAll: boolean
  /** Why it finds nothing any more, whatever it asks; null: it does. */
  stopped: 'paused' | 'deleted' | 'unshared' | null
}

type SearchRow = Omit<Search, 'ownerId' | 'isForAll'> & {
  target_price: number | null
  owner_id: number | null
  is_for_all: boolean
}

const findingSearches = prepared(
  'searches that find',
  `select a.id, coalesce(s.name, '') as name, s.question, a.target_price, s.owner_id, a.search_id is null or s.is_shared as is_for_all,
       case when s.deleted_at is not null then 'deleted' when a.is_paused then 'paused'
         when not s.is_shared and s.owner_id is distinct from d.owner_id then 'unshared' end as stopped
     from alerts a join destinations d on d.id = a.destination_id left join saved_searches s on s.id = a.search_id where a.id = any($1)`,
)

async function readSearches(
  { databases, settings }: ReadDeps,
  alertIds: readonly number[],
): Promise<(Search | null)[]> {
  const { rows } = await databases.customPlanPool.query<SearchRow>({
    ...findingSearches,
    values: [[...new Set(alertIds)]],
  })
  const byId = new Map(
    rows.map(({ target_price, owner_id: ownerId, is_for_all: isForAll, ...search }) => {
      const target = target_price === null ? null : money(target_price, settings.MARKETPLACE)
      return [search.id, { ...search, ownerId, isForAll, name: finderText(search.name, target) }]
    }),
  )
  return alertIds.map((id) => byId.get(id) ?? null)
}

type AskedPrice = { id: number; episodeId: number }

const lastPrices = prepared(
  'last prices told',
  `select given.id, last.price from unnest($1::bigint[], $2::bigint[]) as given (id, episode_id) cross join lateral (
       select coalesce(d.content->>'price', (
         select said->>'price' from jsonb_array_elements(d.content->'deals') said where (said->>'id')::bigint = told.deal_id
       ))::float8 as price
       from delivery_deals told join deliveries d on d.id = told.delivery_id
       where told.episode_id = given.episode_id and d.id < given.id and d.sent_at is not null
       -- Sorted by no index: most have none before, which walking all deliveries from the newest on finds last.
       order by d.id + 0 desc limit 1
     ) last`,
)

async function readLastPrices(pool: pg.Pool, asked: readonly AskedPrice[]): Promise<(number | null)[]> {
  const values = [asked.map(({ id }) => id), asked.map(({ episodeId }) => episodeId)]
  const { rows } = await pool.query<{ id: number; price: number | null }>({ ...lastPrices, values })
  const byId = new Map(rows.map(({ id, price }) => [id, price]))
  return asked.map(({ id }) => byId.get(id) ?? null)
}
