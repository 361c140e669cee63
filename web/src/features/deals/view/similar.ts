import type { Deal } from '@dealdeck/contract/deals'
import { longestText } from './filters.ts'

/** So many deals are shown that are like another one, out of so many that are looked at. */
export const mostSimilar = 8
export const mostLookedAt = 60
const [mostWords, longestWord] = [4, 40]

/** Words of a title that say what it is, the longest first. */
function wordsOf(title: string): string[] {
  const words = title.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  return [...new Set(words)].sort((a, b) => b.length - a.length)
}

/** A question for deals with a word of this one's title, its brand or its category; it is asked by itself too. */
export function similarQuestion({ title, brand, category }: Deal): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, ' ')}"`
  const asked = [
    ...(brand ? [`brand:${quoted(brand)}`] : []),
    ...(category ? [`category:${quoted(category)}`] : []),
    // Where words stand without spaces a whole title is one; a part of it is in no fewer others.
    ...wordsOf(title)
      .slice(0, mostWords)
      .map((word) => quoted(word.slice(0, longestWord))),
  ]
  // A longer question is refused.
  return asked.reduce((question, one) => {
    const longer = question && `${question} OR ${one}`
    return (longer || one).length > longestText ? question : longer || one
  }, '')
}

/** Those of the found deals that are most like this one: of its words, its brand and its category, and cheaper ones first. */
export function rankSimilar(deal: Deal, found: readonly Deal[]): Deal[] {
  const words = new Set(wordsOf(deal.title))
  const likeness = (other: Deal) =>
    wordsOf(other.title).filter((word) => words.has(word)).length +
    2 * Number(other.brand !== null && other.brand === deal.brand) +
    Number(other.category !== null && other.category === deal.category)
  return found
    .filter(({ asin }) => asin !== deal.asin)
    .map((other) => ({ other, likeness: likeness(other) }))
    .filter(({ likeness }) => likeness > 0)
    .sort((a, b) => b.likeness - a.likeness || a.other.price - b.other.price)
    .slice(0, mostSimilar)
    .map(({ other }) => other)
}
