import { address } from './address/address.ts'
import { creatorsKind } from './creators/creators.ts'
import { feed } from './feed/feed.ts'
import { keepaKind } from './keepa/keepa.ts'
import type { AnySourceKind } from './source-kind.ts'

/** Every kind of sources, in the order in which they are offered; a new one is its folder and its place here. */
export const kinds: readonly AnySourceKind[] = [address, feed, keepaKind(), creatorsKind()]
