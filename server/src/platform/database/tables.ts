import type { AuditState } from '@dealdeck/contract/audit'
import type { DealCondition, DealSort } from '@dealdeck/contract/deals'
import type { ImportRejects } from '@dealdeck/contract/ingest'
import type { MemberItem, MemberItemKind } from '@dealdeck/contract/me'
import type { VerdictKind } from '@dealdeck/contract/prices'
import type { FeedKind } from '@dealdeck/contract/searches'
import type { FilterCategory } from '@dealdeck/marketplace/filters'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { AlertTables } from './alert-tables.ts'
import type { Defaulted, SourceTables, Timestamp } from './source-tables.ts'

/** The tables as the migrations leave them; with those of sources and alerts beside it the only files their types are written down in. */
export type Tables = SourceTables &
  AlertTables & {
    users: {
      id: GeneratedAlways<number>
      username: string
      password_hash: string
      role: Defaulted<'admin' | 'user'>
      status: Defaulted<'approved' | 'pending' | 'rejected'>
      is_active: Defaulted<boolean>
      created_at: Timestamp
      updated_at: Timestamp
      last_sign_in_at: ColumnType<Date | null, Date | null | undefined, Date | null>
      name_skeleton: ColumnType<string | null, string | null | undefined, string | null>
    }
    secrets: { name: string; value: Buffer }
    sessions: {
      id: GeneratedAlways<number>
      token_hash: Buffer
      user_id: number
      created_at: Timestamp
      last_used_at: Timestamp
      expires_at: ColumnType<Date, Date, Date>
      user_agent: Defaulted<string>
      last_used_address: Defaulted<string>
      signed_in_address: Defaulted<string>
    }
    ingest_tokens: {
      id: GeneratedAlways<number>
      name: string
      token_hash: Buffer
      created_by: number | null
      created_at: Timestamp
      last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    }
    deals: {
      id: GeneratedAlways<number>
      asin: string
      title: string
      title_folded: string
      brand: Defaulted<string | null>
      category: Defaulted<string | null>
      condition: Defaulted<DealCondition | null>
      price: number
      original_price: number | null
      discount_percentage: GeneratedAlways<number | null>
      rating: number | null
      review_count: number | null
      image_url: string | null
      product_url: string
      availability: string | null
      prime_eligible: Defaulted<boolean>
      first_seen: Timestamp
      last_updated: Timestamp
      observed_at: Timestamp
      ends_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
      ended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
      is_over: Defaulted<boolean>
      hidden_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
      posted_to_discord: Defaulted<boolean>
      discord_timestamp: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
      is_blacklisted: Defaulted<boolean>
      is_sample: Defaulted<boolean>
      is_visible: GeneratedAlways<boolean>
      discount_order: GeneratedAlways<number>
      discord_order: GeneratedAlways<Date>
      verdict: Defaulted<string | null>
      verdict_kind: Defaulted<string | null>
      best_order: Defaulted<number>
      under_typical: Defaulted<number | null>
      low_days: Defaulted<number | null>
      price_drop: Defaulted<number | null>
      dropped_at: Defaulted<Date | null>
      deal_json: Defaulted<string>
      json_version: Defaulted<number>
    }
    price_points: {
      deal_id: number
      seen_at: ColumnType<Date, Date | string, never>
      price: number | null
      original_price: number | null
      confirmed_until: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
      import_id: Defaulted<number | null>
      is_wrong: Defaulted<boolean>
    }
    price_verdicts: {
      deal_id: number
      due_at: Timestamp
      computed_at: Date | null
      kind: VerdictKind | null
      watched_since: Date | null
      coverage_90: number | null
      typical: number | null
      low_30: number | null
      low_30_at: Date | null
      low_90: number | null
      low_90_at: Date | null
      low_365: number | null
      low_365_at: Date | null
    }
    price_state: { only_row: Generated<boolean>; next_deal: number | null }
    blacklisted_words: {
      id: GeneratedAlways<number>
      word: string
      is_active: Defaulted<boolean>
      created_at: Timestamp
    }
    amazon_filters: {
      id: GeneratedAlways<number>
      category: FilterCategory
      name: string
      name_folded: string
      code: string
      created_at: Timestamp
      updated_at: Timestamp
    }
    filter_state: { only_row: Generated<boolean>; version: number }
    heartbeats: { minute: ColumnType<Date, Date, never> }
    feed_state: {
      only_row: Generated<boolean>
      revision: number
      epoch: Generated<string>
      json_version: Generated<number>
    }
    feed_events: {
      revision: number
      added: Defaulted<number[]>
      changed: Defaulted<number[]>
      removed: Defaulted<number[]>
      confirmed: Defaulted<number[]>
      created_at: Timestamp
      changes_id: Defaulted<number | null>
    }
    member_items: {
      id: GeneratedAlways<number>
      user_id: number
      kind: MemberItemKind
      key_hash: Buffer
      value: ColumnType<MemberItem['value'], string, string>
      created_at: Timestamp
      updated_at: Timestamp
    }
    saved_searches: {
      id: GeneratedAlways<number>
      uid: GeneratedAlways<string>
      owner_id: number
      name: string
      question: string
      sort: Defaulted<DealSort | null>
      is_shared: Defaulted<boolean>
      made_at_revision: number
      created_at: Timestamp
      updated_at: Timestamp
      deleted_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    }
    search_views: {
      user_id: number
      search_id: number
      position: Defaulted<number | null>
      is_in_row: Defaulted<boolean>
      opened_at_revision: Defaulted<number | null>
    }
    search_feeds: {
      id: GeneratedAlways<number>
      search_id: number
      user_id: number
      kind: FeedKind
      secret_hash: Buffer
      created_at: Timestamp
      last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>
      hour_began_at: Timestamp
      requests_in_hour: Defaulted<number>
    }
    deal_changes: {
      id: GeneratedAlways<number>
      import_id: number | null
      deal_ids: number[]
      old_is_visible: (boolean | null)[]
      old_price: (number | null)[]
      old_original_price: (number | null)[]
      old_availability: (string | null)[]
      new_is_visible: (boolean | null)[]
      new_price: (number | null)[]
      new_original_price: (number | null)[]
      new_availability: (string | null)[]
      old_facts: ColumnType<unknown[] | null, never, never>
    }
    followers: { name: string; position: number; moved_at: Timestamp }
    audit_entries: {
      id: GeneratedAlways<number>
      at: GeneratedAlways<Date>
      actor_id: GeneratedAlways<number>
      actor_name: GeneratedAlways<string>
      action: GeneratedAlways<string>
      subject_kind: GeneratedAlways<string>
      subject_id: GeneratedAlways<number | null>
      subject_name: GeneratedAlways<string>
      before: GeneratedAlways<AuditState | null>
      after: GeneratedAlways<AuditState | null>
    }
    import_rejects: {
      import_id: number
      rejected: ColumnType<ImportRejects['rejected'], string, never>
      by_reason: ColumnType<ImportRejects['rejected_by_reason'], string, never>
    }
    imports: {
      id: GeneratedAlways<number>
      source: string
      handed_in_by: Defaulted<string>
      started_at: Timestamp
      finished_at: ColumnType<Date | null, Date | undefined, Date>
      received: Defaulted<number>
      created: Defaulted<number>
      updated: Defaulted<number>
      unchanged: Defaulted<number>
      rejected: Defaulted<number>
      missing_hidden: Defaulted<number>
      keeps_history: Defaulted<boolean>
    }
  }
