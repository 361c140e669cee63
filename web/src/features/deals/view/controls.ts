import type { Sort } from '@dealdeck/query/fields'

/** What the controls of the filter bar show. A text stands for what a control can't show, in words. */
export type Controls = {
  sort: Sort
  /** In the marketplace's currency; null is no limit. */
  min: number | null
  max: number | null
  /** What is asked of the price, where two limits can't say it. */
  otherPrice: string | null
  /** At least so many percent off, at least so many stars; null is any, 0 any at all. */
  off: number | string | null
  rating: number | string | null
  prime: boolean
  today: boolean
}

export type ControlChange = Partial<Controls>

/** What the controls show where nothing is asked but a highest price. */
export const noControls = {
  ...{ sort: 'newest', min: null, otherPrice: null, off: null, rating: null, prime: false, today: false },
} as const satisfies Omit<Controls, 'max'>
