import type { HeldRow } from '@dealdeck/contract/quarantine'
import type { SettingValue } from '@dealdeck/contract/setting-fields'
import type { SourceKind, SourceRun, SourceState } from '@dealdeck/contract/sources'
import type { ColumnType, GeneratedAlways } from 'kysely'

/** A column the database fills when it is left out. */
export type Defaulted<T> = ColumnType<T, T | undefined, T>
export type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>

/** The tables of sources, their quarantine and what processes share when they ask others. */
export type SourceTables = {
  sources: {
    id: GeneratedAlways<number>
    kind: SourceKind
    name: string
    settings: ColumnType<Record<string, SettingValue>, string, string>
    secrets: Defaulted<string | null>
    secret_names: Defaulted<string[]>
    interval_from: number
    interval_to: number
    keeps_history: boolean
    may_leave: string[]
    is_paused: boolean
    trusted_rules: Defaulted<string[]>
    refused_rules: Defaulted<string[]>
    state: Defaulted<SourceState>
    state_text: Defaulted<string>
    failures: Defaulted<number>
    failing_since: Defaulted<Date | null>
    position: ColumnType<unknown, string | null | undefined, string | null>
    baseline: ColumnType<unknown, string | null | undefined, string | null>
    rhythm: ColumnType<unknown, string | null | undefined, string | null>
    next_run_at: Defaulted<Date | null>
    last_run_at: Defaulted<Date | null>
    last_success_at: Defaulted<Date | null>
    last_new_at: Defaulted<Date | null>
    running_id: Defaulted<number | null>
    asked_at: Defaulted<Date | null>
    running_at: Defaulted<Date | null>
    created_at: Timestamp
    updated_at: Timestamp
  }
  source_runs: {
    id: GeneratedAlways<number>
    source_id: number
    state: SourceRun['state']
    started_at: Timestamp
    finished_at: Defaulted<Date | null>
    received: Defaulted<number>
    created: Defaulted<number>
    updated: Defaulted<number>
    unchanged: Defaulted<number>
    rejected: Defaulted<number>
    held: Defaulted<number>
    refused_before: Defaulted<number>
    ended: Defaulted<number>
    text: Defaulted<string | null>
    notes: Defaulted<string[]>
    cost: Defaulted<string | null>
    import_ids: Defaulted<number[]>
  }
  source_deals: {
    source_id: number
    asin: string
    listed_at: Timestamp
    missed: Defaulted<number>
    hide_at: Defaulted<Date | null>
  }
  quarantine: {
    id: GeneratedAlways<number>
    source_id: number
    run_id: number | null
    asin: string
    rule: string
    reason: string
    old: ColumnType<HeldRow['old'], string | null, string | null>
    new: ColumnType<HeldRow['new'], string, string>
    deal: ColumnType<unknown, string, string>
    state: Defaulted<'held' | 'released' | 'refused' | 'passed'>
    held_at: Timestamp
    seen_at: Timestamp
    decided_at: Defaulted<Date | null>
  }
  source_titles: { source_id: number; asin: string; title: string; said_at: Timestamp }
  request_hosts: { host: string; next_at: Timestamp; busy_until: Timestamp }
  service_budgets: {
    key_hash: Buffer
    tokens: number
    refill_per_minute: number
    as_of: Timestamp
    reservations: ColumnType<unknown, string | undefined, string>
  }
  service_tokens: { key_hash: Buffer; token: string; expires_at: Timestamp }
}
