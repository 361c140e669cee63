import type { Suggestions } from '@dealdeck/contract/deals'
import type { Stamp } from '../../../platform/database/epoch.ts'
import type { FeedQuery } from '../searching/conditions.ts'
import type { SuggestedField } from '../searching/suggestions.ts'
import type { FoundDeals } from './deal-index.ts'

/** What the thread is started with: the database's address, and the memory of `LeftQuestions`. */
export type IndexWorkerData = { url: string; memory: SharedArrayBuffer }

/** A query without what can't be sent to another thread. */
export type SentQuery = Omit<FeedQuery, 'signal'>

/** What the thread with the index is asked; it answers by the deals of `revision` or a later one. `at`: which question. An answer says how many deals there are. */
export type IndexRequest =
  | { kind: 'advance'; revision: number }
  | { kind: 'find'; at: number; revision: number; query: SentQuery }
  | { kind: 'count'; at: number; revision: number; query: SentQuery; most: number }
  | { kind: 'suggest'; at: number; revision: number; field: SuggestedField; prefix: string }

export type IndexAnswer =
  | { kind: 'ready'; stamp: Stamp; deals: number }
  | { kind: 'found'; at: number; deals: number; found: FoundDeals }
  | { kind: 'given up'; at: number; deals: number }
  | { kind: 'counted'; at: number; deals: number; count: number }
  | { kind: 'suggested'; at: number; deals: number; values: Suggestions['values'] }
