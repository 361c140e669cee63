import type { Random } from '../../tools/sample-deals/random.ts'
import { madeSearch } from './made-titles.ts'

/**
 * What people ask for with more than words: one to four fields, beside words in two of three, so that anything from most deals to none
 * meets it.
 */
export function madeQuestion(titles: readonly string[], random: Random): string {
  const words = random.chance(0.66) ? [madeSearch(titles, random)] : []
  const count = random.between(1, Math.min(4, 8 - (words[0]?.split(' ').length ?? 0)))
  const left = [...fields]
  const asked = Array.from({ length: Math.max(1, count) }, () => {
    const [field] = left.splice(random.between(0, left.length - 1), 1)
    return field?.(random) ?? ''
  })
  return [...words, ...asked].join(' ')
}

const fields: readonly ((random: Random) => string)[] = [
  (random) => `price:<${random.pick([1, 2, 5, 10, 20, 30, 50])}`,
  (random) => `price:>=${random.pick([20, 50, 100, 500])}`,
  (random) => `off:>=${random.pick([20, 50, 70, 85, 90])}`,
  (random) => `rating:>=${random.pick([3, 4, 4.5, 4.9, 5])}`,
  (random) => `reviews:>=${random.pick([10, 100, 1_000, 50_000])}`,
  (random) => `prime:${random.pick(['yes', 'no'])}`,
  (random) => `list:${random.pick(['has', 'none'])}`,
  (random) => `new:<${random.pick(['1d', '7d', '30d'])}`,
  (random) => `-${random.pick(['for', 'set', 'black', 'pack'])}`,
]
