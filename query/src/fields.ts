import type { DealFacts } from './facts.ts'

type Shared = {
  /** Other names that are understood and written back as the field's own. */
  aliases: readonly string[]
  /** What stands behind the colon in an example. */
  example: string
  /** What is offered behind the colon: these values, or the brands or categories that deals have. */
  suggests: readonly string[] | 'brands' | 'categories'
}

/** A deal about which nothing is known (null) meets no test of the field. */
type NumberDeclaration = Shared & {
  type: 'number'
  /** What a number without a comparison means. */
  bare: '<=' | '>='
  most: number
  /** How many decimals have to stand behind a comma for it to be a decimal one; where none are given it always parts values. */
  leastDecimals?: 1 | 2
  isMoney?: true
  /** A comparison such as 'at least 50', with what it is of. */
  say: (comparison: string) => string
  /** What is said of any number at all. */
  saysAny: string
  of: (deal: DealFacts) => number | null
}

/** A time, asked for by how long it is from now. */
type DurationDeclaration = Shared & {
  type: 'duration'
  lies: 'behind' | 'ahead'
  /** What happened then, or will. */
  says: string
  of: (deal: DealFacts) => number | null
}

/** A text; `of` is folded as `folds` says, and so is what is asked for. */
type NameDeclaration = Shared & {
  type: 'name'
  folds: 'title' | 'name'
  says: string
  of: (deal: DealFacts) => string | null
}

type CodeDeclaration = Shared & { type: 'code'; says: string; of: (deal: DealFacts) => string }

export type Choice = {
  aliases: readonly string[]
  says: string
  /** Its opposite, where that is not said by a 'not' before it. */
  saysOpposite?: string
  forAdministrators?: true
  of: (deal: DealFacts) => boolean
}
type ChoiceDeclaration = Shared & { type: 'choice'; choices: Readonly<Record<string, Choice>> }

type Declaration =
  | NumberDeclaration
  | DurationDeclaration
  | NameDeclaration
  | CodeDeclaration
  | ChoiceDeclaration

const prices = ['<5', '<10', '<20', '<30', '<50', '10..20', 'any']
const ages = ['<1h', '<6h', '<1d', '<7d']
const choice = (says: string, of: Choice['of'], aliases: readonly string[] = []): Choice => ({
  aliases,
  says,
  of,
})

/** A deal without a verdict is too new for one. */
const hasVerdict =
  (...kinds: string[]): Choice['of'] =>
  ({ verdict }) =>
    kinds.includes(verdict ?? 'new')
/** Whoever is the low of a year is that of 90 days too. */
const isLowOf =
  (days: number): Choice['of'] =>
  ({ lowDays }) =>
    lowDays !== null && lowDays >= days

/**
 * Every field that can be asked for. An entry says all there is to say but its SQL: that stands in the server, in a table
 * with a key for each of these.
 */
export const fields = {
  price: {
    ...{ type: 'number', aliases: ['cost'], example: '<10', suggests: prices, bare: '<=' },
    ...{ most: 99_999_999.99, leastDecimals: 2, isMoney: true },
    ...{ say: (comparison) => comparison, saysAny: 'at any price', of: (deal) => deal.price },
  },
  off: {
    ...{
      type: 'number',
      aliases: ['discount'],
      example: '>=50',
      suggests: ['>=20', '>=30', '>=50', '>=70', 'any'],
    },
    ...{ bare: '>=', most: 100, say: (comparison) => `${comparison} % off`, saysAny: 'discounted' },
    of: (deal) => deal.off,
  },
  rating: {
    ...{ type: 'number', aliases: ['stars'], example: '>=4', suggests: ['>=3', '>=4', '>=4.5'], bare: '>=' },
    ...{ most: 5, leastDecimals: 1, say: (comparison) => `rated ${comparison}`, saysAny: 'rated' },
    of: (deal) => deal.rating,
  },
  reviews: {
    ...{ type: 'number', aliases: ['ratings'], example: '>=100', suggests: ['>=10', '>=100', '>=1000'] },
    ...{
      bare: '>=',
      most: 2_147_483_647,
      say: (comparison) => `${comparison} reviews`,
      saysAny: 'with reviews',
      of: (deal) => deal.reviews,
    },
  },
  prime: {
    ...{ type: 'choice', aliases: [], example: 'yes', suggests: ['yes', 'no'] },
    choices: {
      yes: choice('Prime', (deal) => deal.isPrime, ['true', '1']),
      no: { ...choice('not Prime', (deal) => !deal.isPrime, ['false', '0']), saysOpposite: 'Prime' },
    },
  },
  new: {
    ...{ type: 'duration', aliases: ['seen'], example: '<2h', suggests: ['today', ...ages], lies: 'behind' },
    ...{ says: 'first seen', of: (deal) => deal.firstSeen },
  },
  checked: {
    ...{
      type: 'duration',
      aliases: ['confirmed'],
      example: '<6h',
      suggests: ['today', ...ages],
      lies: 'behind',
    },
    ...{ says: 'checked', of: (deal) => deal.lastChecked },
  },
  updated: {
    ...{
      type: 'duration',
      aliases: ['changed'],
      example: '<1d',
      suggests: ['today', ...ages],
      lies: 'behind',
    },
    ...{ says: 'changed', of: (deal) => deal.lastUpdated },
  },
  ends: {
    ...{ type: 'duration', aliases: ['end'], example: '<2h', suggests: ages, lies: 'ahead' },
    ...{ says: 'ends', of: (deal) => deal.endsAt },
  },
  brand: {
    ...{ type: 'name', aliases: [], example: 'casio', suggests: 'brands' },
    ...{ folds: 'name', says: 'brand', of: (deal) => deal.brand },
  },
  category: {
    ...{ type: 'name', aliases: ['cat'], example: 'watches', suggests: 'categories' },
    ...{ folds: 'name', says: 'category', of: (deal) => deal.category },
  },
  condition: {
    ...{ type: 'choice', aliases: [], example: 'new', suggests: ['new', 'renewed', 'used', 'unknown'] },
    choices: {
      new: choice('new', (deal) => deal.condition === 'new'),
      renewed: choice('renewed', (deal) => deal.condition === 'renewed', ['refurbished']),
      used: choice('used', (deal) => deal.condition === 'used'),
      unknown: {
        ...choice('of unknown condition', (deal) => deal.condition === null),
        saysOpposite: 'of known condition',
      },
    },
  },
  asin: {
    ...{ type: 'code', aliases: [], example: 'B0ABCDEFGH', suggests: [] },
    ...{ says: 'ASIN', of: (deal) => deal.asin },
  },
  title: {
    ...{ type: 'name', aliases: [], example: 'lamp', suggests: [] },
    ...{ folds: 'title', says: 'title', of: (deal) => deal.title },
  },
  list: {
    ...{ type: 'choice', aliases: [], example: 'has', suggests: ['has', 'none'] },
    choices: {
      has: {
        ...choice('with a list price', (deal) => deal.hasListPrice, ['yes']),
        saysOpposite: 'without a list price',
      },
      none: {
        ...choice('without a list price', (deal) => !deal.hasListPrice, ['no']),
        saysOpposite: 'with a list price',
      },
    },
  },
  verdict: {
    ...{ type: 'choice', aliases: [], example: 'lowest' },
    suggests: ['lowest', 'good', 'usual', 'high', 'raised', 'listnotseen', 'new'],
    choices: {
      lowest: choice('at its lowest in 90 days', hasVerdict('lowest')),
      good: choice('at a good price', hasVerdict('good')),
      usual: choice('at its usual price', hasVerdict('usual', 'unchanged'), ['normal']),
      high: choice('usually cheaper', hasVerdict('high')),
      raised: choice('raised before its discount', hasVerdict('raised')),
      listnotseen: {
        ...choice('with a list price not seen', hasVerdict('listnotseen')),
        saysOpposite: 'without a list price not seen',
      },
      new: { ...choice('too early to judge', hasVerdict('new')), saysOpposite: 'not too early to judge' },
      unchanged: choice('never seen at another price', hasVerdict('unchanged')),
      any: {
        ...choice('whatever its verdict', () => true, ['all']),
        saysOpposite: 'without any verdict or none',
      },
    },
  },
  low: {
    ...{ type: 'choice', aliases: [], example: '90d', suggests: ['30d', '90d', '365d'] },
    choices: {
      '30d': choice('at its low of 30 days', isLowOf(30), ['30', '1m', 'month']),
      '90d': choice('at its low of 90 days', isLowOf(90), ['90', '3m']),
      '365d': choice('at its low of a year', isLowOf(365), ['365', '1y', 'year']),
    },
  },
  typical: {
    ...{ type: 'number', aliases: [], example: '>=20', suggests: ['>=10', '>=20', '>=30', '>=50', 'any'] },
    ...{ bare: '>=', most: 100, say: (comparison) => `${comparison} % under its typical price` },
    ...{ saysAny: 'under its typical price', of: (deal) => deal.underTypical },
  },
  drop: {
    ...{
      type: 'number',
      aliases: ['fell'],
      example: '>=10',
      suggests: ['>=5', '>=10', '>=20', '>=30', 'any'],
    },
    ...{ bare: '>=', most: 100, say: (comparison) => `price fell by ${comparison} %` },
    ...{ saysAny: 'price fell', of: (deal) => deal.drop },
  },
  dropped: {
    ...{ type: 'duration', aliases: ['since'], example: '<7d', suggests: ['today', ...ages], lies: 'behind' },
    ...{ says: 'price fell', of: (deal) => deal.droppedAt },
  },
  is: {
    ...{ type: 'choice', aliases: [], example: 'sample', suggests: ['sample'] },
    choices: {
      sample: choice('a sample', (deal) => deal.isSample),
      hidden: { ...choice('hidden', (deal) => !deal.isVisible), forAdministrators: true },
    },
  },
} as const satisfies Record<string, Declaration>

/** The orders a question can ask for; none of a deal's facts. */
export const sorts = {
  newest: { aliases: ['new'], says: 'newest first' },
  discount: { aliases: ['off'], says: 'largest discount first' },
  price: { aliases: ['cheapest'], says: 'lowest price first' },
  discord: { aliases: [], says: 'last posted to Discord first' },
  updated: { aliases: ['changed'], says: 'last changed first' },
  best: { aliases: ['typical'], says: 'most under the typical price first' },
} as const satisfies Record<string, { aliases: readonly string[]; says: string }>

export type Sort = keyof typeof sorts
export type FieldName = keyof typeof fields
type NamesOf<Type> = {
  [Name in FieldName]: (typeof fields)[Name] extends { type: Type } ? Name : never
}[FieldName]
export type NumberField = NamesOf<'number'>
export type DurationField = NamesOf<'duration'>
export type NameField = NamesOf<'name'>
export type CodeField = NamesOf<'code'>
export type ChoiceField = NamesOf<'choice'>
/** The choices of a field, such as `yes` and `no`. */
export type ChoiceOf<Name extends ChoiceField> = keyof (typeof fields)[Name]['choices'] & string

/** Any field's declaration, whatever its type. */
export function declarationOf(name: FieldName): Declaration {
  return fields[name]
}

/** The choices of a field by name; a choice it doesn't have is undefined. */
export function choicesOf(name: ChoiceField): Readonly<Record<string, Choice | undefined>> {
  return fields[name].choices
}

// The cast holds: these are the table's keys, and TypeScript knows keys as texts only.
export const fieldNames = Object.keys(fields) as FieldName[]
// As above.
export const sortNames = Object.keys(sorts) as Sort[]
