import type { Tables } from '../../../platform/database/tables.ts'

/** What a value is in the staging table. A time is in microseconds there; one to come is a mistake of the source. */
const stagedTypes = {
  text: 'text',
  money: 'numeric(12, 2)',
  rating: 'numeric(2, 1)',
  count: 'integer',
  flag: 'boolean',
  time: 'bigint',
} as const

type Field = {
  kind: keyof typeof stagedTypes
  /**
   * What the stored deal gets, in SQL: `n` is the newest staged row of the item, `d` the deal as it is, `$4` whether the body
   * has a column of original prices and `$5` one of availability. Unless given: what the row says, else what is stored.
   */
  merged?: string
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
  | 'is_blacklisted'
  | 'is_sample'
  | 'is_visible'
  | 'discount_order'
  | 'discord_order'
  | 'deal_json'
  | 'json_version'

/**
 * Everything an import writes into columns of the same name in `deals`. Staging, COPY, comparison, insert and update are made
 * from this table, so that none of them can forget a field.
 */
export const dealFields: Record<Exclude<keyof Tables['deals'], MadeColumn>, Field> = {
  title: { kind: 'text', merged: 'n.title' },
  brand: { kind: 'text' },
  category: { kind: 'text' },
  condition: { kind: 'text' },
  price: { kind: 'money', merged: 'n.price' },
  original_price: {
    kind: 'money',
    merged: 'case when $4 then n.original_price when d.original_price > n.price then d.original_price end',
  },
  rating: { kind: 'rating' },
  review_count: { kind: 'count' },
  image_url: { kind: 'text' },
  availability: {
    kind: 'text',
    merged: 'case when $5 then n.availability else coalesce(n.availability, d.availability) end',
  },
  prime_eligible: { kind: 'flag', merged: 'coalesce(n.prime_eligible, d.prime_eligible, false)' },
  posted_to_discord: {
    kind: 'flag',
    merged: 'coalesce(n.posted_to_discord, d.posted_to_discord, n.discord_timestamp is not null)',
  },
  discord_timestamp: { kind: 'time' },
}

// The table has exactly these keys, which Object.keys can't say.
export const fieldNames = Object.keys(dealFields) as (keyof typeof dealFields)[]

/** A time in microseconds as PostgreSQL has it. */
export const timeSql = (microseconds: string) =>
  `timestamptz 'epoch' + ${microseconds} * interval '1 microsecond'`

/** What an item comes to, as a list for `select`: each field under its name. */
export const mergedFields = fieldNames
  .map((name) => {
    const { kind, merged } = dealFields[name]
    const stated = kind === 'time' ? timeSql(`n.${name}`) : `n.${name}`
    return `${merged ?? `coalesce(${stated}, d.${name})`} as ${name}`
  })
  .join(', ')

/** The columns of the staging table with their types, in the order of COPY. `first_seen` has no value of its own there. */
export const stagedColumns = [
  ...[
    ['row_no', 'integer'],
    ['asin', 'text collate "C"'],
    ['observed', stagedTypes.time],
    ['is_timed', 'boolean'],
    ['title_folded', 'text'],
    ['first_seen', stagedTypes.time],
  ],
  ...fieldNames.map((name) => [name, stagedTypes[dealFields[name].kind]]),
].map(([name = '', type = '']) => ({ name, type }))
