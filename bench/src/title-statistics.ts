import { readFileSync, writeFileSync } from 'node:fs'
import { foldText } from '@dealdeck/query/folding'
import { z } from 'zod'

/** Words in fewer titles than this are counted, and not named. */
const leastTitles = 12
/** How many words that often follow a word are named, for words in so many titles. */
const [mostNext, leastFollowed] = [4, 50]

const count = z.int().min(0)
const statisticsSchema = z.object({
  titles: count,
  /** How many titles have so many words. */
  lengths: z.array(count),
  /** How many of the titles begin with the same four words as one before them. */
  alike: count,
  /** Words by how many titles have them, the commonest first, each with how many begin with it. */
  words: z.array(z.tuple([z.string(), count, count])),
  /** For some words, by their index: the index of a word behind it, how often that stands there, and so on. */
  next: z.record(z.string(), z.array(count)),
  /** Of all other words: how many there are, and in how many titles, by the letters they are made of. */
  rare: z.record(z.string(), z.object({ words: count, titles: count, letters: z.string() })),
})

/** What is known of the titles of shops: how often words stand in them and behind one another, and no title. */
export type TitleStatistics = z.infer<typeof statisticsSchema>

const file = new URL('../title-statistics.json', import.meta.url)

export function readTitleStatistics(): TitleStatistics {
  return statisticsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** Counts titles, one in a line of text. */
function countTitles(text: string): TitleStatistics {
  const titles = text.split('\n').map((line) => foldText(line).split(' ').filter(Boolean))
  const [inTitles, first, behind] = [tally(), tally(), new Map<string, Map<string, number>>()]
  const [lengths, beginnings]: [number[], Set<string>] = [[], new Set()]
  let alike = 0
  for (const words of titles) {
    lengths[words.length] = (lengths[words.length] ?? 0) + 1
    const beginning = words.slice(0, 4).join(' ')
    if (beginnings.has(beginning)) alike += 1
    beginnings.add(beginning)
    for (const word of new Set(words)) add(inTitles, word)
    if (words[0] !== undefined) add(first, words[0])
    for (const [at, word] of words.entries()) {
      const follower = words[at + 1]
      if (follower === undefined) continue
      const known = behind.get(word) ?? tally()
      behind.set(word, known)
      add(known, follower)
    }
  }
  const sorted = [...inTitles].toSorted(([, a], [, b]) => b - a)
  const common = sorted.filter(([, titlesWith]) => titlesWith >= leastTitles)
  const indexOf = new Map(common.map(([word], index) => [word, index]))
  const next: TitleStatistics['next'] = {}
  for (const [index, [word, titlesWith]] of common.entries()) {
    if (titlesWith < leastFollowed) break
    const followers = [...(behind.get(word) ?? [])].filter(([follower]) => indexOf.has(follower))
    const most = followers.toSorted(([, a], [, b]) => b - a).slice(0, mostNext)
    next[index] = most.flatMap(([follower, times]) => [indexOf.get(follower) ?? 0, times])
  }
  return {
    titles: titles.length,
    lengths: Array.from(lengths, (some) => some ?? 0),
    alike,
    words: common.map(([word, titlesWith]) => [word, titlesWith, first.get(word) ?? 0]),
    next,
    rare: countRare(sorted.slice(common.length)),
  }
}

/** What a word is made of: numbers and signs, Latin letters, or another script. */
const kinds: [string, RegExp][] = [
  ['numbers', /\d/],
  ['latin', /^[\p{Script=Latin}\p{P}\p{S}]+$/u],
  ['devanagari', /\p{Script=Devanagari}/u],
]

function countRare(words: [string, number][]): TitleStatistics['rare'] {
  const rare: Record<string, { words: number; titles: number; letters: Map<string, number> }> = {}
  for (const [word, titles] of words) {
    const kind = kinds.find(([, shape]) => shape.test(word))?.[0] ?? 'others'
    const known = rare[kind] ?? { words: 0, titles: 0, letters: tally() }
    rare[kind] = known
    known.words += 1
    known.titles += titles
    for (const letter of word) add(known.letters, letter)
  }
  return Object.fromEntries(
    Object.entries(rare).map(([kind, { letters, ...counts }]) => {
      // Each letter as often as it comes in a thousand.
      const all = [...letters.values()].reduce((sum, times) => sum + times, 0)
      const some = [...letters].flatMap(([letter, times]) => letter.repeat(Math.round((1000 * times) / all)))
      return [kind, { ...counts, letters: some.join('') }]
    }),
  )
}

const tally = () => new Map<string, number>()
const add = (to: Map<string, number>, key: string) => void to.set(key, (to.get(key) ?? 0) + 1)

// As a command: makes the statistics from a file with a title in each line.
const [, script, titlesFile] = process.argv
if (script === import.meta.filename && titlesFile !== undefined)
  writeFileSync(file, `${JSON.stringify(countTitles(readFileSync(titlesFile, 'utf8')))}\n`)
