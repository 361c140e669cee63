import { countText } from './texts.ts'

/** What a list waited for, by the words with which it was put aside, and how its title says so. */
const causes: readonly (readonly [words: RegExp, title: string])[] = [
  [/^quiet hours/i, 'while you had quiet hours'],
  [/^paused/i, 'while messages were paused'],
  [/within a minute/i, 'found at once'],
  [/within an hour/i, 'beyond what you want in an hour'],
  [/daily digest/i, 'of the last day'],
  [/weekly digest/i, 'of the last week'],
]

/** A list's title in plain words, such as `7 deals while you had quiet hours`. */
export function listTitle(count: number, hold: string): string {
  const cause = causes.find(([words]) => words.test(hold))
  return [countText(count, 'deal'), cause?.[1]].filter((part) => part !== undefined).join(' ')
}
