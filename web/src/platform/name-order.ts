import { once } from './once.ts'

// Numbers count as numbers, so that 5 % comes before 40 %.
const collator = once(() => new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }))

/** Orders names as people look for them, for an array's `sort`. */
export const compareNames = (one: string, other: string): number => collator().compare(one, other)
