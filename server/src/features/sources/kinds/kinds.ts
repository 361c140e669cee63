import type { AnySourceKind } from './source-kind.ts'

/** Every kind of sources; a new one is its folder and a line here. */
export const kinds: readonly AnySourceKind[] = []
