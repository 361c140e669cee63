/** Signs that would turn the direction of the text around them, or break it into lines; and those that nobody sees. */
const turning = /[\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu
const breaking = /[\p{Cc}\u2028\u2029\s]+/gu

/** A text of a source in one line, otherwise whole: without control characters, and without signs that turn what stands beside it. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(turning, '').replace(breaking, ' ').trim()
}

/** `4.6 of 5, 1,203 reviews`; null where nothing is known. */
export function ratingText(rating: number | null, reviews: number | null): string | null {
  const stars = rating === null ? [] : [`${rating} of 5`]
  const count = reviews === null ? [] : [countText(reviews, 'review')]
  return [...stars, ...count].join(', ') || null
}

/** What is said to have found a deal: a search by its name, or the price that is waited for, as after “Found by”. */
export const finderText = (name: string, target: string | null): string =>
  target === null ? oneLine(name) : `the target price ${target}`

const numbers = new Intl.NumberFormat('en')

/** `1 deal`, `7 deals`. */
export function countText(count: number, noun: string): string {
  return `${numbers.format(count)} ${noun}${count === 1 ? '' : 's'}`
}
