import type { Tables } from '../../../platform/database/tables.ts'
import { mostTimesPrice } from '../rules.ts'

/** Whether a stored original price stands beside a price that came without one, in SQL. */
export const stillOriginal = (original: string, price: string) =>
  `${original} > ${price} and ${original} <= ${mostTimesPrice} * ${price}`

/** What a value is in the staging table. A time is in microseconds there; one to come is a mistake of the source, but for an end. */
const stagedTypes = {
  text: 'text',
  money: 'numeric(12, 2)',
  rating: 'numeric(2, 1)',
  count: 'integer',
  flag: 'boolean',
  time: 'bigint',
  end: 'bigint',
} as const

type Field = {
  kind: keyof typeof stagedTypes
  /**
   * What the stored deal gets, in SQL: `n` is the newest staged row of the item, `h` what older rows of it say, `d` the deal as
   * it is, `$4` whether the body has a column of original prices and `$5` one of availability. Unless given: what the row
   * says, else older rows, else what is stored.
   */
  merged?: string
  /** The same where the deal was observed after the row. Unless given: what is stored, else what the row and older ones say. */
  late?: string
  /** Whether older rows of the body speak for a newest one that is silent. */
  isCarried?: false
}

/** Columns that no source states as they are: the database fills them, or whoever writes the deal makes them. */
type MadeColumn =
  | 'id'
  | 'asin'
  | 'title_folded'
  | 'product_url'
  | 'discount_percentage'
  | 'first_seen'
  | 'last_updated'
  | 'observed_at'
  | 'ended_at'
  | 'is_over'
  | 'hidden_at'
  | 'is_blacklisted'
  | 'is_sample'
  | 'is_visible'
  | 'discount_order'
  | 'discord_order'
  | 'verdict'
  | 'verdict_kind'
  | 'best_order'
  | 'under_typical'
  | 'low_days'
  | 'price_drop'
  | 'dropped_at'
  | 'deal_json'
  | 'json_version'

const latestPost = `greatest(d.discord_timestamp, ${timeSql('n.discord_timestamp')}, ${timeSql('h.discord_timestamp')})`

/**
 * Everything an import writes into columns of the same name in `deals`. Staging, COPY, comparison, insert and update are made
 * from this table, so that none of them can forget a field.
 */
export const dealFields: Record<Exclude<keyof Tables['deals'], MadeColumn>, Field> = {
  title: { ...newestOnly('text', 'title'), merged: 'n.title' },
  brand: { kind: 'text' },
  category: { kind: 'text' },
  condition: { kind: 'text' },
  price: { ...newestOnly('money', 'price'), merged: 'n.price' },
  original_price: {
    ...newestOnly('money', 'original_price'),
    merged: `case when $4 then n.original_price when ${stillOriginal('d.original_price', 'n.price')} then d.original_price end`,
  },
  rating: { kind: 'rating' },
  review_count: { kind: 'count' },
  image_url: { kind: 'text' },
  availability: {
    ...newestOnly('text', 'availability'),
    merged: 'case when $5 then n.availability else coalesce(n.availability, d.availability) end',
  },
  prime_eligible: {
    ...newestOnly('flag', 'prime_eligible'),
    merged: 'coalesce(n.prime_eligible, d.prime_eligible, false)',
  },
  posted_to_discord: {
    ...newestOnly('flag', 'posted_to_discord'),
    // What was posted stays posted, and at its latest time: real posts are written down here too.
    merged: 'd.posted_to_discord is true or coalesce(n.posted_to_discord, n.discord_timestamp is not null)',
  },
  discord_timestamp: { kind: 'time', merged: latestPost, late: latestPost },
  // An end that was over when the deal was seen again is the end of another deal.
  ends_at: {
    kind: 'end',
    merged: `coalesce(${timeSql('n.ends_at')}, case when ${timeSql('h.ends_at')} > n.observed_at then ${timeSql('h.ends_at')} end,
      case when d.ends_at > n.observed_at then d.ends_at end)`,
    late: `coalesce(d.ends_at, case when ${timeSql('n.ends_at')} > d.observed_at then ${timeSql('n.ends_at')} end)`,
  },
}

/** A field of which only the newest observation counts. */
function newestOnly<K extends Field['kind']>(kind: K, name: string) {
  return { kind, late: `d.${name}`, isCarried: false as const }
}

// The table has exactly these keys, which Object.keys can't say.
export const fieldNames = Object.keys(dealFields) as (keyof typeof dealFields)[]

/** A time in microseconds as PostgreSQL has it. */
export function timeSql(microseconds: string): string {
  return `(timestamptz 'epoch' + ${microseconds} * interval '1 microsecond')`
}

/** The fields in which older rows of a body speak for the newest one of the same item where that is silent. */
export const carriedFields = fieldNames.filter((name) => dealFields[name].isCarried !== false)

/** What an item comes to, as a list for `select`: each field under its name. */
export const mergedFields = fieldNames
  .map((name) => {
    const { kind, merged, late, isCarried } = dealFields[name]
    const value = (from: string) => (kind === 'time' ? timeSql(`${from}.${name}`) : `${from}.${name}`)
    const stated = isCarried === false ? value('n') : `${value('n')}, ${value('h')}`
    return `case when d.observed_at > n.observed_at then ${late ?? `coalesce(d.${name}, ${stated})`}
      else ${merged ?? `coalesce(${stated}, d.${name})`} end as ${name}`
  })
  .join(', ')

/** A staged row that states another currency or marketplace than ours, in SQL. None is merged: whoever asks for such rows takes them out. */
export const isOfOtherShop = (staged: string) =>
  `(${staged}.other_currency is not null or ${staged}.other_marketplace is not null)`

/** The columns of the staging table with their types, in the order of COPY. `first_seen` and those beside it are no fields of their own. */
export const stagedColumns = [
  ...[
    ['row_no', 'integer'],
    ['asin', 'text collate "C"'],
    ['observed', stagedTypes.time],
    ['is_timed', 'boolean'],
    ['title_folded', 'text'],
    ['first_seen', stagedTypes.time],
    ['is_over', stagedTypes.flag],
    ['is_original_doubtful', stagedTypes.flag],
    ['other_currency', 'text'],
    ['other_marketplace', 'text'],
  ],
  ...fieldNames.map((name) => [name, stagedTypes[dealFields[name].kind]]),
].map(([name = '', type = '']) => ({ name, type }))
