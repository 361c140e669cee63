import { z } from 'zod'
import {
  optionalNumber,
  optionalText,
  settingField,
  textList,
  wholeNumber,
} from '../../../../platform/setting-fields.ts'
import type { Retention } from '../source-kind.ts'

/** Items of one request at most; a search has no more pages than that. */
export const pageItems = 10
const mostPages = 10

const versions = {
  '3.1': '3.1 – America',
  '3.2': '3.2 – Europe, India, Near East',
  '3.3': '3.3 – Japan, Singapore, Australia',
  '2.1': '2.1 – America',
  '2.2': '2.2 – Europe, India, Near East',
  '2.3': '2.3 – Japan, Singapore, Australia',
} as const
export type CredentialVersion = keyof typeof versions
const subjects = { search: 'What a search finds', items: 'Certain items' }
const conditions = { New: 'New only', Any: 'Any' }

const versionError = { error: `must be one of ${Object.keys(versions).join(', ')}` }

export const creatorsSettings = z.object({
  credential_version: z.enum(['3.1', '3.2', '3.3', '2.1', '2.2', '2.3'], versionError).default('3.1'),
  credential_id: optionalText(200),
  partner_tag: optionalText(100),
  subject: z.enum(['search', 'items'], { error: 'must be search or items' }).default('search'),
  keywords: optionalText(300),
  search_index: optionalText(60),
  browse_node: optionalText(20).refine((text) => /^\d*$/.test(text), 'must be the number of a category'),
  asins: textList(/^[A-Z\d]{10}$/, 500, 'item IDs of 10 characters'),
  least_price: optionalNumber(0, 1_000_000),
  most_price: optionalNumber(0, 1_000_000),
  least_percent: optionalNumber(1, 99),
  least_rating: optionalNumber(1, 4),
  is_prime: z.boolean({ error: 'must be true or false' }).default(false),
  condition: z.enum(['New', 'Any'], { error: 'must be New or Any' }).default('New'),
  pages: wholeNumber(1, mostPages).default(mostPages),
  per_second: wholeNumber(1, 10).default(1),
  per_day: wholeNumber(10, 1_000_000).default(8_640),
})
export type CreatorsSettings = z.output<typeof creatorsSettings>

/** What the licence of the interface allows, in its strictest reading. */
export const creatorsRetention: Retention = {
  ...{ history: false, hiddenAfterHours: 24, refreshAfterHours: 1 },
}

const ofSearch = 'Of a search.'

export const creatorsForm = {
  label: 'Amazon Creators API',
  help: 'Items of the shop’s own interface for members of its partner program. It takes ten qualified sales within 30 days. Its terms allow no history of prices, and nothing older than a day: these deals are hidden then.',
  fields: [
    settingField('credential_version', 'Version of the credential', 'choice', {
      ...{ is_required: true, initial: '3.1', choices: versions },
      help: 'Stands beside the credential where it was made.',
    }),
    settingField('credential_id', 'Credential ID', 'text', { is_required: true, initial: '' }),
    settingField('client_secret', 'Credential secret', 'secret', { is_required: true }),
    settingField('partner_tag', 'Partner tag', 'text', { is_required: true, initial: '' }),
    settingField('subject', 'Read', 'choice', { is_required: true, initial: 'search', choices: subjects }),
    settingField('keywords', 'Keywords', 'text', { initial: '', help: ofSearch }),
    settingField('search_index', 'Department', 'text', {
      ...{ initial: '', help: 'Of a search, as the interface calls it, such as Electronics.' },
    }),
    settingField('browse_node', 'Category number', 'text', { initial: '', help: ofSearch }),
    settingField('asins', 'Item IDs', 'list', { initial: [], help: 'Where certain items are read.' }),
    settingField('least_price', 'Price from', 'number', { least: 0, most: 1_000_000, help: ofSearch }),
    settingField('most_price', 'Price up to', 'number', { least: 0, most: 1_000_000, help: ofSearch }),
    settingField('least_percent', 'Saving of at least', 'number', {
      ...{ least: 1, most: 99, unit: '%', help: ofSearch },
    }),
    settingField('least_rating', 'Rating of at least', 'number', {
      ...{ least: 1, most: 4, unit: 'stars', help: ofSearch },
    }),
    settingField('is_prime', 'Prime only', 'switch', { initial: false, help: ofSearch }),
    settingField('condition', 'Condition', 'choice', { initial: 'New', choices: conditions }),
    settingField('pages', 'Pages', 'number', {
      ...{ is_required: true, initial: mostPages, least: 1, most: mostPages, is_advanced: true },
      help: 'Of 10 items each; a search gives no more than 10 pages. For more, make several sources with a part of the prices each.',
    }),
    settingField('per_second', 'Requests a second', 'number', {
      ...{ is_required: true, initial: 1, least: 1, most: 10, is_advanced: true },
    }),
    settingField('per_day', 'Requests a day', 'number', {
      ...{ is_required: true, initial: 8_640, least: 10, most: 1_000_000, is_advanced: true },
      help: 'Of all sources with this credential. More is allowed as more is sold.',
    }),
  ],
}

/** What is wrong with settings and secrets together, by field. */
export function checkCreators(
  settings: CreatorsSettings,
  secretNames: readonly string[],
): Record<string, string> | null {
  const { subject, keywords, browse_node, asins, least_price, most_price } = settings
  const wrong: Record<string, string> = {}
  if (!secretNames.includes('client_secret')) wrong.client_secret = 'is missing'
  if (settings.credential_id === '') wrong.credential_id = 'is missing'
  if (settings.partner_tag === '') wrong.partner_tag = 'is missing'
  if (subject === 'items' && asins.length === 0) wrong.asins = 'must name an item'
  if (subject === 'search' && keywords === '' && browse_node === '')
    wrong.keywords = 'must not be empty without a category number'
  if (least_price !== null && most_price !== null && least_price > most_price)
    wrong.most_price = 'must not be less than the price from'
  return Object.keys(wrong).length > 0 ? wrong : null
}

export function costOfCreators({ subject, asins, pages, per_day }: CreatorsSettings): string {
  const requests = subject === 'items' ? Math.ceil(asins.length / pageItems) : pages
  return `up to ${requests} of ${per_day} requests a day`
}
