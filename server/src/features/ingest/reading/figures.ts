import { currencyNamed } from './currencies.ts'
import { westernDigits } from './money.ts'
import { cellText } from './text.ts'

/** A rating from 0.1 to 5 with one decimal (`4.3 out of 5`, `4,3 von 5 Sternen`); null for everything else, 0 included. */
export function readRating(value: unknown): number | null {
  const rating = typeof value === 'number' ? value : ratingIn(cellText(value))
  if (!(rating > 0 && rating <= 5)) return null
  const rounded = Math.round(rating * 10) / 10
  return rounded === 0 ? null : rounded
}

/** Whether a cell is a rating on another scale, such as one to ten: a number that `readRating` can't take. */
export function isRatingOutOfRange(value: unknown): boolean {
  const rating = typeof value === 'number' ? value : ratingIn(cellText(value))
  return rating > 5 || rating < 0
}

/** `4.5/10`, `9 out of 10`: the scale behind a rating. */
const scale = /^\s*(?:\/|out of|of|von|sur|de|di|su|van|av|z|na|من|में से)\s*(\d+(?:[.,]\d+)?)/i
/** What stands for a rating that isn't one of five. */
const onAnotherScale = Number.POSITIVE_INFINITY

/** How the shop's pages name the picture of some stars: `a-star-4-5`, `a-star-small-4`. */
const inClass = /\ba-star-(?:[a-z]+-)*(\d)(?:-(\d))?\b/

function ratingIn(raw: string): number {
  if (/^\d(?:\.\d+)?$/.test(raw)) return Number(raw)
  if (raw === '' || raw.length > 60 || raw.includes('%')) return Number.NaN
  const text = westernDigits(raw)
  const [, stars, half = '0'] = inClass.exec(text) ?? []
  if (stars !== undefined) return Number(`${stars}.${half}`)
  // Japanese and Chinese name the scale first.
  const scaleFirst = /(?:のうち|中|満点)\D{0,3}(\d(?:[.,]\d+)?)/.exec(text)?.[1]
  if (isMoney(text)) return Number.NaN
  // 1,203 and 4.7K are counts.
  const stated = /^\D{0,12}?(?!\d+,\d{3}(?!\d))(\d+(?:[.,]\d+)?)(?![\d:½]|[.,]\d|\s?[km](?!\p{L}))/iu.exec(
    text,
  )
  const ofHowMany = stated && scale.exec(text.slice(stated[0].length))?.[1]
  if (!scaleFirst && ofHowMany && Number(ofHowMany.replace(',', '.')) !== 5) return onAnotherScale
  const found = scaleFirst ?? stated?.[1]
  return found === undefined || /^\s*-/.test(text) ? Number.NaN : Number(found.replace(',', '.'))
}

/** `Save $5.00`, `5 €`, `USD 4.99`, `4,99 kr`: a sign, code or name of a currency beside the first number. */
function isMoney(text: string): boolean {
  const [, before = '', behind = ''] =
    /^\D*?([\p{L}.]*\p{Sc}?)\s*\d[\d.,]*\s*(\p{Sc}|[\p{L}.]*)/u.exec(text) ?? []
  return [before, behind].some((word) => /\p{Sc}/u.test(word) || currencyNamed(word) !== undefined)
}

const magnitudes: ReadonlyArray<[RegExp, number]> = [
  [/^(?:k|tsd|tis|mil|mila|mille|tys|bin|thousand|千)\b|^千/i, 1_000],
  [/^(?:lakh|lac)s?\b/i, 100_000],
  [/^万/, 10_000],
  [/^(?:m|mn|mio|million|millones|milhões)\b/i, 1_000_000],
  [/^(?:crore|cr)s?\b/i, 10_000_000],
]

/** No item has been rated by more people. */
const largestCount = 50_000_000

/** A whole count (`2,255`, `1.2K`, `(1.234)`, `24.0`, `10K+ ratings`); null when the cell doesn't begin with one, as `4.5 (2,255)`. */
export function readCount(value: unknown): number | null {
  const count = typeof value === 'number' ? value : countIn(cellText(value))
  return Number.isInteger(count) && count >= 0 && count <= largestCount ? count : null
}

function countIn(raw: string): number {
  if (/^\d{1,9}$/.test(raw)) return Number(raw)
  if (raw === '' || raw.length > 60) return Number.NaN
  const found = /^[([]?\s*(\d[\d.,'’\u00a0\u202f ]*)\s*(.*)$/.exec(westernDigits(raw))
  if (!found) return Number.NaN
  const digits = (found[1] ?? '').trim().replace(/[.,]+$/, '')
  const after = (found[2] ?? '').replace(/^[+)\]]+\s*/, '')
  if (/^[%/:]|^out of|^e\d/i.test(after)) return Number.NaN
  const magnitude = magnitudes.find(([word]) => word.test(after))?.[1] ?? 1
  if (magnitude > 1) return Math.round(Number(digits.replace(',', '.')) * magnitude)
  return isGrouped(digits) ? Number(digits.replace(/\D/g, '')) : Number(digits.replace(',', '.'))
}

/** Digits in groups, western or Indian, whatever stands between them. */
function isGrouped(digits: string): boolean {
  return /^\d{1,3}(?:[.,'’\u00a0\u202f ]\d{2,3})*[.,'’\u00a0\u202f ]\d{3}$/.test(digits)
}
