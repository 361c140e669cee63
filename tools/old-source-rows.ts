type Row = Record<string, unknown>

/** A time on a day of March 2026. */
export const march = (day: number, time = '08:30:00') => `2026-03-${String(day).padStart(2, '0')}T${time}Z`

/** What the old databases hold of sources and alerts; see `sampleRows`. */
export const laterRows: { table: string; rows: Row[] }[] = [
  {
    table: 'sources',
    rows: [
      {
        ...{ id: 1, kind: 'address', name: 'Deals of a shop', state: 'ok', state_text: 'Runs.' },
        ...{ settings: { url: 'https://deals.example/all.json', lists_all: true }, secret_names: [] },
        ...{ interval_from: 15, interval_to: 60, keeps_history: true, may_leave: ['price'], is_paused: true },
        ...{
          trusted_rules: ['title'],
          refused_rules: ['currency'],
          created_at: march(5),
          updated_at: march(5),
          last_success_at: march(5),
        },
      },
    ],
  },
  {
    table: 'source_runs',
    rows: [
      {
        id: 1,
        source_id: 1,
        state: 'done',
        started_at: march(5),
        finished_at: march(5),
        received: 2,
        held: 1,
      },
    ],
  },
  { table: 'source_deals', rows: [{ source_id: 1, asin: 'B0OLD00001', listed_at: march(5) }] },
  {
    table: 'quarantine',
    rows: [
      {
        ...{ id: 1, source_id: 1, run_id: 1, asin: 'B0OLD00002', rule: 'price_low', reason: 'Far too low.' },
        ...{
          new: { price: 0.01 },
          deal: { asin: 'B0OLD00002', price: 0.01 },
          held_at: march(5),
          seen_at: march(5),
        },
      },
    ],
  },
  {
    table: 'service_budgets',
    rows: [
      {
        ...{ key_hash: '\\x0b7cbb2b', tokens: 250, refill_per_minute: 5, as_of: march(5) },
        reservations: [{ id: 'one', run: 1, cost: 5, until: march(5) }],
      },
    ],
  },
  { table: 'source_titles', rows: [{ source_id: 1, asin: 'B0OLD00001', title: 'Mug', said_at: march(5) }] },
  {
    table: 'destinations',
    rows: [
      {
        ...{
          id: 1,
          owner_id: 2,
          kind: 'ntfy',
          name: 'My phone',
          state: 'ok',
          state_text: '',
          is_paused: true,
        },
        ...{ settings: { server: 'https://ntfy.example' }, secret_names: [], affiliate_tag: 'old-20' },
        ...{ disclosure: '(paid link)', created_at: march(5), updated_at: march(5), last_sent_at: march(5) },
      },
    ],
  },
  {
    table: 'alerts',
    rows: [
      {
        ...{ id: 1, destination_id: 1, search_id: 1, mode: 'now', again_percent: 10, urgent_off: 70 },
        ...{ is_paused: false, last_matched_at: march(5), created_at: march(5), updated_at: march(5) },
      },
      {
        ...{ id: 2, destination_id: 1, deal_id: 1, target_price: 9.5, mode: 'now', again_percent: 5 },
        ...{ is_paused: true, created_at: march(5), updated_at: march(5) },
      },
    ],
  },
  {
    table: 'alert_episodes',
    rows: [{ id: 1, destination_id: 1, deal_id: 1, price: 9.99, opened_at: march(5) }],
  },
  {
    table: 'alert_matches',
    rows: [{ alert_id: 1, deal_id: 1, episode_id: 1, is_matching: true, price: 9.99, matched_at: march(5) }],
  },
  {
    table: 'deliveries',
    rows: [
      {
        ...{
          id: 1,
          uid: '0b7cbb2b-0c35-4b43-a2cb-1d3d2f4b8e01',
          destination_id: 1,
          kind: 'deal',
          episode_id: 1,
        },
        ...{ post: 1, state: 'sent', reason: '', attempts: 1, wanted_version: 1, sent_version: 1 },
        ...{
          message_id: 'old',
          status: 200,
          content: { price: 9.99 },
          created_at: march(5),
          sent_at: march(5),
        },
        ...{ updated_at: march(5) },
      },
      {
        ...{ id: 2, uid: '0b7cbb2b-0c35-4b43-a2cb-1d3d2f4b8e02', destination_id: 1, kind: 'list', post: 1 },
        ...{ state: 'held', reason: 'Quiet hours until 07:00.', content: {}, attempts: 0, wanted_version: 1 },
        ...{ collected_for: 'quiet', waits_for: 'quiet', next_at: '2999-01-01T07:00:00Z', sent_version: 0 },
        ...{ created_at: march(5), updated_at: march(5) },
      },
    ],
  },
  {
    table: 'delivery_deals',
    rows: [{ delivery_id: 1, deal_id: 1, episode_id: 1, alert_ids: [1], price: 9.99 }],
  },
  {
    table: 'peace',
    rows: [
      {
        ...{ id: 1, user_id: 2, time_zone: 'Europe/Paris', follows_device: false, quiet_from: '22:30:00' },
        ...{ quiet_to: '07:00:00', most_an_hour: 20, most_at_once: 5, digest_at: '08:00:00' },
        ...{ digest_weekday: 1, updated_at: march(5) },
      },
    ],
  },
]
