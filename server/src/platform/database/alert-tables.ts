import type { AlertMode } from '@dealdeck/contract/alerts'
import type {
  DeliveryKind,
  DeliveryState,
  DestinationKind,
  DestinationState,
} from '@dealdeck/contract/deliveries'
import type { SettingValue } from '@dealdeck/contract/setting-fields'
import type { ColumnType, GeneratedAlways } from 'kysely'
import type { Defaulted, Timestamp } from './source-tables.ts'

type LaterTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

/** What has to end before a message is sent, beside its time. */
export type WaitsFor = 'quiet' | 'pause'
/** What the deals of a list, or digest, were collected for. */
export type CollectedFor = WaitsFor | 'hour' | 'burst' | 'daily' | 'weekly'

/** The tables of alerts and of what is sent because of them. */
export type AlertTables = {
  destinations: {
    id: GeneratedAlways<number>
    owner_id: number | null
    kind: DestinationKind
    name: string
    settings: ColumnType<Record<string, SettingValue>, string, string>
    secrets: Defaulted<string | null>
    secret_names: Defaulted<string[]>
    affiliate_tag: Defaulted<string>
    disclosure: Defaulted<string>
    is_paused: Defaulted<boolean>
    state: Exclude<DestinationState, 'paused'>
    state_text: Defaulted<string>
    failing_since: LaterTime
    code_hash: Defaulted<Buffer | null>
    code: Defaulted<string | null>
    code_expires_at: LaterTime
    code_failures: Defaulted<number>
    busy_by: Defaulted<string | null>
    busy_until: LaterTime
    resume_at: LaterTime
    last_sent_at: LaterTime
    created_at: Timestamp
    updated_at: Timestamp
  }
  alerts: {
    id: GeneratedAlways<number>
    destination_id: number
    search_id: number | null
    deal_id: number | null
    target_price: number | null
    mode: Defaulted<AlertMode>
    again_percent: Defaulted<number>
    urgent_off: Defaulted<number | null>
    urgent_below: Defaulted<number | null>
    is_paused: Defaulted<boolean>
    last_matched_at: LaterTime
    created_at: Timestamp
    updated_at: Timestamp
  }
  alert_version: { is_only: Defaulted<boolean>; version: Defaulted<number> }
  alert_episodes: {
    id: GeneratedAlways<number>
    destination_id: number
    deal_id: number
    price: number
    opened_at: Timestamp
    closed_at: LaterTime
  }
  alert_matches: {
    alert_id: number
    deal_id: number
    episode_id: number | null
    is_matching: boolean
    price: number
    matched_at: Timestamp
  }
  deliveries: {
    id: GeneratedAlways<number>
    uid: Defaulted<string>
    destination_id: number
    kind: DeliveryKind
    episode_id: number | null
    post: Defaulted<number>
    state: DeliveryState
    reason: Defaulted<string>
    is_urgent: Defaulted<boolean>
    collected_for: Defaulted<CollectedFor | null>
    waits_for: Defaulted<WaitsFor | null>
    next_at: LaterTime
    due_at: LaterTime
    attempts: Defaulted<number>
    doubts: Defaulted<number>
    wanted_version: Defaulted<number>
    sent_version: Defaulted<number>
    message_id: Defaulted<string | null>
    status: Defaulted<number | null>
    answer: Defaulted<string | null>
    content: ColumnType<unknown, string | undefined, string>
    claim: Defaulted<string | null>
    created_at: Timestamp
    sent_at: LaterTime
    updated_at: Timestamp
  }
  delivery_deals: {
    delivery_id: number
    deal_id: number
    episode_id: number | null
    alert_ids: Defaulted<number[]>
    price: number | null
  }
  delivery_limits: {
    key: string
    tokens: number
    as_of: ColumnType<Date, Date | string, Date | string>
    blocked_until: LaterTime
  }
  peace: {
    id: GeneratedAlways<number>
    user_id: number | null
    time_zone: string
    follows_device: boolean
    quiet_from: string | null
    quiet_to: string | null
    most_an_hour: number
    most_at_once: number
    digest_at: string
    digest_weekday: number
    paused_until: LaterTime
    updated_at: Timestamp
  }
}
