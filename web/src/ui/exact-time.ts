import type { PointerEvent } from 'react'
import type { MarketplaceFormats } from '../platform/number-formats.ts'

/**
 * For a `<time>` in words: hovering it says the exact time. That is found out only then, as the first one that is written keeps
 * a phone for 80 ms.
 */
export const exactOnHover = (time: string, { exactTime }: Pick<MarketplaceFormats, 'exactTime'>) => ({
  dateTime: time,
  onPointerEnter: ({ currentTarget }: PointerEvent<HTMLElement>) => {
    currentTarget.title = exactTime(time)
  },
})
