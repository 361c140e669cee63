import { day } from './thresholds.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The UTC date of a time: '3 Nov', in another year than `now` '3 Nov 2025'. */
export function dateOf(time: number, now: number): string {
  const date = new Date(time)
  const year = date.getUTCFullYear()
  const written = `${date.getUTCDate()} ${months[date.getUTCMonth()]}`
  return year === new Date(now).getUTCFullYear() ? written : `${written} ${year}`
}

/** A length of time in whole days, at least one. */
export const wholeDays = (time: number) => Math.max(1, Math.round(time / day))

/** '1 day', '71 days'. */
export const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)
