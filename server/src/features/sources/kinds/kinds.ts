import type { KindDescription, SourceKind } from '@dealdeck/contract/sources'
import { address } from './address/address.ts'
import { feed } from './feed/feed.ts'
import type { AnySourceKind } from './source-kind.ts'

const kinds: readonly AnySourceKind[] = [address, feed]

/** The kind of this name; undefined where this version has none. */
export function kindOf(name: SourceKind): AnySourceKind | undefined {
  return kinds.find(({ kind }) => kind === name)
}

/** All kinds as their forms are made of them, in the order in which they are offered. */
export function describeKinds(): KindDescription[] {
  return kinds.map(({ kind, description }) => ({ kind, ...description }))
}
