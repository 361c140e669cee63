import { cleanText, cutText } from './text.ts'

const limit = 500
/** Names are said twice on purpose (`Duran Duran`), sentences are not. */
const leastTwice = 12
const leastTwiceWords = 6

const months = [
  'Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|Jun[ei]?|Jul[yi]?|Aug(?:ust)?',
  'Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?',
].join('|')
const year = '(?:19|20)\\d\\d'
const time = '(?:,?[T ]\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?: ?[AP]M)?(?:Z|[+-]\\d{2}:?\\d{2})?)?'
/** A date with nothing between it and the word before: no part of a name, which has a space there. */
const gluedDates = [
  `(?<=[\\p{L}\\p{Pe}!?"”%])${year}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])${time}$`,
  `(?<=[\\p{L}\\p{Pe}!?"”%])(?:0?[1-9]|[12]\\d|3[01])([./])(?:0?[1-9]|[12]\\d|3[01])\\1${year}${time}$`,
  `(?<=[\\p{Ll}\\p{Lo}\\p{N}\\p{Pe}!?"”%])(?:${months})\\.? [0-3]?\\d(?:st|nd|rd|th)?,? ${year}${time}$`,
  `(?<=[\\p{Ll}\\p{Lo}\\p{Pe}!?"”%])[0-3]?\\d\\.? (?:${months})\\.?,? ${year}${time}$`,
].map((pattern) => new RegExp(pattern, 'u'))
/** The longest of them, and the sign before. */
const longestDate = 48

export type TitleRepair = 'doubled' | 'dated'

/** A title of 1 to 500 UTF-16 units, or '' where there is none; `onRepair` hears what was taken off. */
export function readTitle(raw: string, onRepair: (repair: TitleRepair) => void): string {
  // Twice the length, or the second half of a doubled title would be cut.
  const stated = cleanText(raw, 2 * limit + 1)
  const single = halved(stated)
  if (single !== stated) onRepair('doubled')
  const title = withoutDate(single)
  if (title !== single) onRepair('dated')
  return title.length > limit ? cutText(title, limit) : title
}

/** The first half of a text that says the same twice, with a space between or nothing. */
function halved(text: string): string {
  const { length } = text
  if (length < 2 * leastTwiceWords) return text
  const half = length >> 1
  const second = length % 2 === 0 ? half : half + 1
  // Nearly all titles end here.
  if (text.charCodeAt(0) !== text.charCodeAt(second)) return text
  if (second > half && text[half] !== ' ') return text
  const once = text.slice(0, half)
  if (text.slice(second) !== once) return text
  return half >= leastTwice || once.trim().includes(' ') ? once.trim() : text
}

function withoutDate(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  // A digit, or the end of a time: Z, or M of AM and PM.
  if (!((last >= 48 && last <= 57) || last === 90 || last === 77)) return text
  const from = Math.max(0, text.length - longestDate)
  const end = text.slice(from)
  for (const date of gluedDates) {
    const at = end.search(date)
    if (at > 0) return text.slice(0, from + at)
  }
  return text
}
