import { z } from 'zod'
import {
  optionalNumber,
  optionalText,
  requiredNumber,
  settingField,
  textList,
  wholeNumber,
} from '../../../../platform/setting-fields.ts'

/** Deals of one page, and what it costs in tokens; Keepa lists 10,000 deals. */
export const [pageRows, pageTokens] = [150, 5]
const mostPages = 67

const priceKinds = {
  amazon: 'Sold by Amazon',
  new: 'Lowest new offer',
  fba: 'Lowest new offer shipped by Amazon',
  lightning: 'Lightning deals',
  warehouse: 'Used, of Amazon’s warehouse',
}
const periods = { day: 'A day', week: 'A week', month: 'A month', quarter: '90 days' }

/** An enumeration of a record's own keys. */
const oneOf = <T extends Record<string, string>>(labels: T) =>
  z.enum(
    // The keys of a record written above are its own and no others.
    Object.keys(labels) as [keyof T & string, ...Array<keyof T & string>],
    { error: `must be one of ${Object.keys(labels).join(', ')}` },
  )

const categoryIds = textList(/^\d{1,19}$/, 500, 'category numbers')

export const keepaSettings = z.object({
  price: oneOf(priceKinds).default('amazon'),
  period: oneOf(periods).default('week'),
  least_percent: requiredNumber(10, 99).default(20),
  least_price: optionalNumber(0, 1_000_000),
  most_price: optionalNumber(0, 1_000_000),
  least_rating: optionalNumber(1, 5),
  title_words: optionalText(300).refine((text) => text.split(/\s+/).length <= 50, 'must be 50 words or less'),
  include_categories: categoryIds,
  exclude_categories: categoryIds,
  asks_products: z.boolean({ error: 'must be true or false' }).default(false),
  availability: optionalText(200).default('In stock'),
  most_pages: wholeNumber(1, mostPages).default(10),
  reserve: wholeNumber(0, 10_000).default(20),
})
export type KeepaSettings = z.output<typeof keepaSettings>

export const keepaForm = {
  label: 'Keepa',
  help: 'Price drops that Keepa has seen in the last 12 hours, the newest first. It takes a key of its interface, which is part of a paid subscription; each page of 150 deals costs 5 of its tokens.',
  fields: [
    settingField('api_key', 'API key', 'secret', {
      is_required: true,
      help: 'keepa.com shows it under API.',
    }),
    settingField('price', 'Price that has dropped', 'choice', {
      ...{ is_required: true, initial: 'amazon', choices: priceKinds },
      help: 'The lowest new offer is of anybody and leaves out what shipping costs. The price in the buy box can’t be asked for: Keepa lists no deals by it.',
    }),
    settingField('period', 'Compared with the average of', 'choice', {
      ...{ is_required: true, initial: 'week', choices: periods },
    }),
    settingField('least_percent', 'Drop of at least', 'number', {
      ...{ is_required: true, initial: 20, least: 10, most: 99, unit: '%' },
    }),
    settingField('least_price', 'Price from', 'number', { least: 0, most: 1_000_000 }),
    settingField('most_price', 'Price up to', 'number', { least: 0, most: 1_000_000 }),
    settingField('least_rating', 'Rating of at least', 'number', { least: 1, most: 5, unit: 'stars' }),
    settingField('title_words', 'Words in the title', 'text', { help: 'All of them have to be in it.' }),
    settingField('include_categories', 'Only categories', 'list', {
      ...{ initial: [], help: 'Numbers of categories, as in the addresses of the shop after node=.' },
    }),
    settingField('exclude_categories', 'Without categories', 'list', { initial: [] }),
    settingField('asks_products', 'Ask for rating and list price', 'switch', {
      initial: false,
      help: 'Keepa’s lists of deals hold neither. One to two tokens for each new deal, as far as there are tokens.',
    }),
    settingField('availability', 'Availability', 'text', {
      ...{ initial: 'In stock', is_advanced: true },
      help: 'Keepa lists what is offered, and says nothing else of it. Left empty, its deals stay hidden.',
    }),
    settingField('most_pages', 'Pages at most', 'number', {
      ...{ is_required: true, initial: 10, least: 1, most: mostPages, is_advanced: true },
      help: 'Of one list, from the newest deal to where the last one began.',
    }),
    settingField('reserve', 'Tokens left alone', 'number', {
      ...{ is_required: true, initial: 20, least: 0, most: 10_000, is_advanced: true },
      help: 'For whatever else uses the same key.',
    }),
  ],
}

/** What is wrong with settings and secrets together, by field. */
export function checkKeepa(
  { least_price, most_price, include_categories, exclude_categories }: KeepaSettings,
  secretNames: readonly string[],
): Record<string, string> | null {
  const wrong: Record<string, string> = {}
  if (!secretNames.includes('api_key')) wrong.api_key = 'is missing'
  if (least_price !== null && most_price !== null && least_price > most_price)
    wrong.most_price = 'must not be less than the price from'
  if (include_categories.some((id) => exclude_categories.includes(id)))
    wrong.exclude_categories = 'must not name a category that is asked for'
  return Object.keys(wrong).length > 0 ? wrong : null
}

export function costOfKeepa({ asks_products, most_pages }: KeepaSettings): string {
  const products = asks_products ? `, and 1 or 2 for each new deal` : ''
  return `${pageTokens} tokens a page of ${pageRows} deals, so ${pageTokens} to ${pageTokens * most_pages}${products}`
}
