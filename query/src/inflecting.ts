import { plainTitle } from './folding.ts'

/** English endings: a word that ends so has another form, with the other ending. */
const endings: readonly (readonly [RegExp, string])[] = [
  ...([
    [/(?<![sui])s$/, ''],
    [/ies$/, 'y'],
    [/ves$/, 'f'],
    [/ves$/, 'fe'],
    [/(?<=[sxzo]|[cs]h)es$/, ''],
  ] as const),
  ...([
    [/(?<=[^aeiou])y$/, 'ies'],
    [/(?<=[lr]|ea|oa)f$/, 'ves'],
    [/(?<=[ln]i)fe$/, 'ves'],
  ] as const),
  ...['mouse mice', 'tooth teeth', 'foot feet', 'woman women', 'child children'].flatMap((pair) => {
    const [one = '', many = ''] = pair.split(' ')
    return [[new RegExp(`${one}$`), many] as const, [new RegExp(`${many}$`), one] as const]
  }),
  // A size in inches.
  ...([
    [/(?<=^\d[\d.,]*)"$/, "''"],
    [/(?<=^\d[\d.,]*)''$/, '"'],
  ] as const),
]
/** A word of four letters or more, behind hyphens too; a number of inches. */
const inflecting = /^(?:(?:[a-z\d]+-)*[a-z]{4,}|\d[\d.,]*(?:"|''))$/
/** Without their s these are another word. */
const unlike = /^(?:news|shorts)$/

/**
 * What else a typed word is written as, in plain form: its singular, its plural, inches with another sign; shorter and other
 * words have none. Some of several may be no words at all, which finds nothing.
 */
export function formsOf(typed: string): string[] {
  const word = plainTitle(typed)
  if (!inflecting.test(word) || unlike.test(word)) return []
  const forms = endings.flatMap(([ending, other]) => (ending.test(word) ? [word.replace(ending, other)] : []))
  return forms.filter((form) => /[a-z]{3}$|\W$/.test(form))
}

/** A regular expression, of JavaScript and PostgreSQL alike, for plain titles in which a form stands as a word of its own. */
export function wholeWord(form: string): string {
  return `(?<![a-z0-9])${form.replaceAll('.', '\\.')}(?![a-z0-9])`
}
