import { createHash } from 'node:crypto'
import { laterRows, march } from './old-source-rows.ts'

type Row = Record<string, unknown>

const sha256 = (text: string) => `\\x${createHash('sha256').update(text).digest('hex')}`
/** Of 'correct horse'. */
const password_hash =
  '$argon2id$v=19$m=19456,t=2,p=1$+EuX/g7QDUz/fNrVHAcKew$3u5ZLpH5XJLQcuG4Hl8JSta11GoDgyIdgWnsLImfXi4'

const deal = (id: number, title: string, price: number, more: Row = {}): Row => ({
  ...{ id, title, price, title_folded: title.toLowerCase(), asin: `B0OLD${String(id).padStart(5, '0')}` },
  ...{
    product_url: `https://www.amazon.com/dp/B0OLD${String(id).padStart(5, '0')}`,
    availability: 'In stock',
  },
  ...{ first_seen: march(id), last_updated: march(id), observed_at: march(id), ...more },
})
const point = (deal_id: number, day: number, price: number, more: Row = {}): Row => ({
  ...{ deal_id, price, seen_at: march(day), ...more },
})
const filter = (id: number, category: string, name: string, code: string): Row => ({
  ...{
    id,
    category,
    name,
    code,
    name_folded: name.toLowerCase(),
    created_at: march(2),
    updated_at: march(2),
  },
})

/**
 * What the old databases hold, by table and in the order in which it may be put in: all columns that a table has ever had. A
 * column or table that a database doesn't have yet is left out of it, and so is what the database makes up itself.
 */
export const sampleRows: { table: string; rows: Row[] }[] = [
  {
    table: 'users',
    rows: [
      {
        id: 1,
        username: 'olga',
        role: 'admin',
        created_at: march(1),
        updated_at: march(4),
        last_sign_in_at: march(4),
      },
      { id: 2, username: 'ömer', created_at: march(2), updated_at: march(2) },
      { id: 3, username: 'pia', status: 'pending', created_at: march(3), updated_at: march(3) },
      { id: 4, username: 'quinn', is_active: false, created_at: march(3), updated_at: march(3) },
    ].map((user) => ({ role: 'user', status: 'approved', is_active: true, ...user, password_hash })),
  },
  {
    table: 'sessions',
    rows: [
      { id: 1, user_id: 1, user_agent: 'Firefox on a desk', last_used_address: '198.51.100.7' },
      { id: 2, user_id: 2, user_agent: 'Chrome on a phone', last_used_address: '2001:db8::7' },
    ].map((session) => ({
      ...{ ...session, token_hash: sha256(`an old session of ${session.user_id}`), signed_in_address: '' },
      ...{ created_at: march(4), last_used_at: march(5), expires_at: '2999-01-01T00:00:00Z' },
    })),
  },
  {
    table: 'ingest_tokens',
    rows: [
      { id: 1, name: 'nightly', token_hash: sha256('an old token'), created_by: 1, created_at: march(2) },
    ],
  },
  {
    table: 'imports',
    rows: [
      { id: 1, source: 'mugs of march.csv', received: 4, created: 4, updated: 0, unchanged: 0, rejected: 0 },
      { id: 2, source: 'mugs of march.csv', received: 5, created: 1, updated: 1, unchanged: 2, rejected: 1 },
    ].map((one) => ({
      ...one,
      handed_in_by: 'nightly',
      keeps_history: one.id !== 1,
      started_at: march(one.id + 3),
      finished_at: march(one.id + 3),
    })),
  },
  {
    table: 'import_rejects',
    rows: [
      {
        import_id: 2,
        rejected: [{ row: 5, asin: 'x', reason: 'asin is not an item ID' }],
        by_reason: { 'asin is not an item ID': 1 },
      },
    ],
  },
  {
    table: 'deals',
    rows: [
      deal(1, 'Enamel mug, blue', 4.5, {
        original_price: 9,
        rating: 4.5,
        review_count: 120,
        prime_eligible: true,
      }),
      deal(2, 'Folding lantern “Ömür” 灯', 12.99, {
        image_url: 'https://m.media-amazon.com/images/I/old-2.jpg',
      }),
      deal(3, 'Banner for a garden', 3.25, { is_blacklisted: true, hidden_at: march(5) }),
      deal(4, 'Cast iron kettle', 21, {
        availability: null,
        posted_to_discord: true,
        discord_timestamp: march(4),
      }),
      deal(5, 'Brass desk bell', 7.75, {
        ...{
          original_price: 11,
          discord_timestamp: march(6),
          brand: 'Acme',
          category: 'Office > Bells',
          condition: 'new',
          verdict:
            '{"kind":"new","short":"New here","best":null,"under_typical":null,"low_days":null,"drop":null,"dropped_at":null,"sparkline":""}',
          verdict_kind: 'new',
        },
      }),
    ].map((row) => ({
      ...{
        prime_eligible: false,
        is_blacklisted: false,
        is_sample: false,
        posted_to_discord: false,
        json_version: 1,
      },
      ...row,
    })),
  },
  {
    table: 'price_points',
    rows: [
      point(1, 1, 6, { original_price: 9 }),
      point(1, 5, 4.5, { original_price: 9, import_id: 2, confirmed_until: march(6) }),
      ...[
        point(2, 2, 12.99, { is_wrong: true }),
        point(3, 3, 3.25),
        point(4, 4, 21),
        point(5, 5, 7.75, { original_price: 11 }),
      ],
    ],
  },
  {
    table: 'price_verdicts',
    rows: [
      {
        deal_id: 5,
        due_at: march(7),
        computed_at: march(6),
        kind: 'new',
        watched_since: march(5),
        coverage_90: 0.01,
      },
    ],
  },
  { table: 'price_state', rows: [{ next_deal: 3 }] },
  {
    table: 'blacklisted_words',
    rows: [
      { id: 1, word: 'banner', is_active: true, created_at: march(2) },
      { id: 2, word: 'lantern', is_active: false, created_at: march(2) },
    ],
  },
  { table: 'feed_state', rows: [{ revision: 2 }] },
  {
    table: 'feed_events',
    rows: [
      { revision: 1, added: [1, 2, 3, 4], changed: [], removed: [], created_at: march(4) },
      {
        revision: 2,
        added: [5],
        changed: [1],
        removed: [],
        created_at: march(5),
        changes_id: 1,
        confirmed: [2],
      },
    ],
  },
  {
    table: 'deal_changes',
    rows: [
      {
        ...{
          id: 1,
          import_id: 2,
          deal_ids: [5, 1],
          old_is_visible: [null, true],
          new_is_visible: [true, true],
          confirmed_ids: [2],
        },
        ...{
          old_price: [null, 6],
          new_price: [7.75, 4.5],
          old_original_price: [null, 9],
          new_original_price: [11, 9],
        },
        ...{ old_availability: [null, 'In stock'], new_availability: ['In stock', 'In stock'] },
      },
    ],
  },
  { table: 'followers', rows: [{ name: 'an announcer', position: 1, moved_at: march(5) }] },
  {
    table: 'amazon_filters',
    rows: [filter(1, 'brands', 'Acme', 'p_89:Acme'), filter(2, 'percent_off', 'Half price', 'p_8:50-')],
  },
  { table: 'filter_state', rows: [{ version: 2 }] },
  {
    table: 'audit_entries',
    rows: [
      {
        ...{ id: 1, at: march(2), actor_id: 1, actor_name: 'olga', action: 'add', subject_kind: 'word' },
        ...{ subject_id: 1, subject_name: 'banner', after: { word: 'banner', is_active: true } },
      },
    ],
  },
  { table: 'heartbeats', rows: [{ minute: march(5, '08:30:00') }, { minute: march(5, '08:31:00') }] },
  {
    table: 'member_items',
    rows: [
      {
        ...{
          id: 1,
          user_id: 2,
          kind: 'link_preset',
          key_hash: sha256('mugs'),
          created_at: march(5),
          updated_at: march(5),
        },
        value: { name: 'Mugs', search: { q: 'mug', price: '5..30' } },
      },
    ],
  },
  {
    table: 'saved_searches',
    rows: [
      {
        ...{
          id: 1,
          uid: '6f0c2f53-6a1c-4c0e-9d43-0f3f6c1f7a11',
          owner_id: 2,
          name: 'Cheap mugs',
          sort: 'price',
        },
        ...{ question: 'mug price:<10', is_shared: true, made_at_revision: 1 },
        ...{ created_at: march(5), updated_at: march(5) },
      },
    ],
  },
  {
    table: 'search_views',
    rows: [{ user_id: 1, search_id: 1, position: 1, is_in_row: false, opened_at_revision: 1 }],
  },
  {
    table: 'search_feeds',
    rows: [
      {
        ...{ id: 1, search_id: 1, user_id: 1, kind: 'deals', secret_hash: sha256('an old feed') },
        ...{ created_at: march(5), last_used_at: march(5), hour_began_at: march(5), requests_in_hour: 3 },
      },
    ],
  },
  ...laterRows,
]
