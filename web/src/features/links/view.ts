import {
  type Filter,
  type FilterCategory,
  filterCategories,
  type LinkQuery,
  type NamedCode,
} from '@dealdeck/marketplace/filters'
import { compareNames } from '../../platform/name-order.ts'

/** What a category is called above its list. */
export const categoryLabels: Record<FilterCategory, string> = {
  brands: 'Brands',
  deals: 'Deal Types',
  percent_off: 'Percent Off',
  departments: 'Departments',
  sold_by: 'Sold By',
  sort_by: 'Sort By',
}

/** The names chosen in a category, in the order of choosing, or all there are. */
export type Chosen = readonly string[] | 'all'

/** A price range in the marketplace's currency; null where there is no limit. */
export type Price = { min: number | null; max: number | null }

/** Everything somebody set up for a link. `price` is null while the range is switched off. */
export type Setup = {
  keyword: string
  price: Price | null
  chosen: Record<FilterCategory, Chosen>
  custom: readonly NamedCode[]
}

const keys = {
  brands: 'brand',
  deals: 'deal',
  percent_off: 'off',
  departments: 'in',
  sold_by: 'by',
  sort_by: 'sort',
} as const satisfies Record<FilterCategory, string>

type NamesKey = (typeof keys)[FilterCategory]

/**
 * The generator's part of the address: `price` such as `5..30`, filters by name (`*` for all of a category), custom
 * filters as `name:code`. What is missing is empty.
 */
export type LinkParams = { q?: string | undefined; price?: string | undefined } & {
  [key in NamesKey | 'with']?: string[] | undefined
}

export const longestKeyword = 500
const longestName = 200
const longestCode = 2_000
const mostNames = 10_000
const highestPrice = 99_999_999.99

/** Reads an address, typed by the app or by hand. What makes no sense is left out, so this never fails. */
export const linkParamsSchema = {
  parse: (search: Record<string, unknown>): LinkParams => paramsOf(setupOf(search)),
}

/** What an address stands for. */
export function setupOf(search: Record<string, unknown>): Setup {
  return {
    keyword: readTexts(search.q, longestKeyword)[0] ?? '',
    price: readPrice(readTexts(search.price, 40)[0]),
    chosen: inEach((category) => readChosen(category, readTexts(search[keys[category]], longestName))),
    custom: unique(
      readTexts(search.with, longestName + longestCode).flatMap(readCustom),
      ({ name, code }) => `${name}\n${code}`,
    ),
  }
}

/** The address of a set-up, the reverse of `setupOf`. */
export function paramsOf({ keyword, price, chosen, custom }: Setup): LinkParams {
  const names = filterCategories.map((category) => [keys[category], writeChosen(chosen[category])])
  return {
    q: keyword || undefined,
    price: price === null ? undefined : `${price.min ?? ''}..${price.max ?? ''}`,
    ...Object.fromEntries(names),
    with: custom.length > 0 ? custom.map(writeCustom) : undefined,
  }
}

/** A set-up that asks for nothing. */
export const emptySetup: Setup = setupOf({})

/** The set-up of a search that was read from the shop's own address. */
export function setupOfQuery({ keyword, minPrice, maxPrice, filters, custom }: LinkQuery): Setup {
  return setupOf(
    paramsOf({
      keyword,
      price: minPrice === null && maxPrice === null ? null : { min: minPrice, max: maxPrice },
      chosen: inEach((category) => filters[category].map(({ name }) => name)),
      custom,
    }),
  )
}

function inEach<T>(of: (category: FilterCategory) => T): Record<FilterCategory, T> {
  return {
    brands: of('brands'),
    deals: of('deals'),
    percent_off: of('percent_off'),
    departments: of('departments'),
    sold_by: of('sold_by'),
    sort_by: of('sort_by'),
  }
}

function readTexts(value: unknown, longest: number): string[] {
  const values: unknown[] = Array.isArray(value) ? value.slice(0, mostNames) : [value]
  return values.flatMap((one) =>
    typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean'
      ? [String(one).slice(0, longest).toWellFormed()].filter((text) => text.trim() !== '')
      : [],
  )
}

function readPrice(text = ''): Price | null {
  const range = /^(\d{1,8}(?:\.\d{1,2})?)?\.\.(\d{1,8}(?:\.\d{1,2})?)?$/.exec(text.trim())
  if (range === null) return null
  const [, min, max] = range
  return { min: min === undefined ? null : Number(min), max: max === undefined ? null : Number(max) }
}

/** An amount as a number field has it. What is no number, or below 0, is 0; cents are the smallest step. */
export function readAmount(text: string): number {
  const amount = Number(text.trim().replace(',', '.'))
  if (!Number.isFinite(amount) || amount < 0) return 0
  return Math.min(Math.round(amount * 100) / 100, highestPrice)
}

// Names of stars only get one more, so that a single star can stand for all.
const stars = /^\*+$/

function readChosen(category: FilterCategory, texts: string[]): Chosen {
  const isOne = category === 'sort_by'
  if (texts.length === 1 && texts[0] === '*') return isOne ? [] : 'all'
  const names = texts.map((text) => (stars.test(text) ? text.slice(1) || text : text))
  // The shop honours one sort.
  return isOne ? names.slice(-1) : unique(names, (name) => name)
}

function writeChosen(chosen: Chosen): string[] | undefined {
  if (chosen === 'all') return ['*']
  return chosen.length > 0 ? chosen.map((name) => (stars.test(name) ? `*${name}` : name)) : undefined
}

function readCustom(text: string): NamedCode[] {
  const colon = text.indexOf(':')
  const code = text.slice(colon + 1).trim()
  if (colon < 0 || code === '') return []
  const name = text.slice(0, colon).replace(/%25|%3A/gi, decodeURIComponent)
  return [{ name: name.trim() || code, code }]
}

function writeCustom({ name, code }: NamedCode): string {
  return name === code ? `:${code}` : `${name.replace(/[%:]/g, encodeURIComponent)}:${code}`
}

function unique<T>(values: readonly T[], keyOf: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [keyOf(value), value])).values()]
}

/** A filter that can be chosen, with what a search looks at. */
export type Option = NamedCode & { folded: string }

/** The filters of each category, in no order: `inOrder` has the one in which they are offered. */
export type Options = Record<FilterCategory, readonly Option[]>

export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** All filters by category. */
export function optionsOf(filters: readonly Filter[]): Options {
  const groups = Map.groupBy(filters, ({ category }) => category)
  return inEach((category) =>
    (groups.get(category) ?? []).map(({ name, code }) => ({ name, code, folded: fold(name) })),
  )
}

const ordered = new WeakMap<readonly Option[], readonly Option[]>()

/** Options by name. Found out when it is asked for: comparing names the first time takes a phone as long as to draw a form. */
export function inOrder(options: readonly Option[]): readonly Option[] {
  const known = ordered.get(options) ?? options.toSorted((a, b) => compareNames(a.name, b.name))
  ordered.set(options, known)
  return known
}

/** A chosen name that no filter has any more. */
export type Missing = { category: FilterCategory; name: string }

/** The filters a set-up chose. Names count in any case; those that no filter has are told apart. */
export function resolveSetup(
  setup: Setup,
  options: Options,
): { picked: Record<FilterCategory, readonly Option[]>; missing: Missing[] } {
  const missing: Missing[] = []
  const picked = inEach((category): readonly Option[] => {
    const chosen = setup.chosen[category]
    if (chosen === 'all') return inOrder(options[category])
    if (chosen.length === 0) return []
    const byName = byNameOf(options[category])
    return unique(
      chosen.flatMap((name) => {
        const option = byName.get(fold(name))
        if (!option) missing.push({ category, name })
        return option ? [option] : []
      }),
      ({ name }) => name,
    )
  })
  return { picked, missing }
}

const namesOfOptions = new WeakMap<readonly Option[], ReadonlyMap<string, Option>>()

/** The options by folded name; a choice among thousands is resolved with every key pressed. */
function byNameOf(options: readonly Option[]): ReadonlyMap<string, Option> {
  const byName =
    namesOfOptions.get(options) ?? new Map(options.map((option) => [option.folded, option] as const))
  namesOfOptions.set(options, byName)
  return byName
}

/** The search that the marketplace's functions build a link from. */
export function linkQueryOf(setup: Setup, picked: Record<FilterCategory, readonly Option[]>): LinkQuery {
  return {
    keyword: setup.keyword,
    minPrice: setup.price?.min ?? null,
    maxPrice: setup.price?.max ?? null,
    filters: inEach((category) => picked[category].map(({ name, code }) => ({ name, code }))),
    custom: [...setup.custom],
  }
}

/** The set-up without names that no filter has. */
export function withoutMissing(setup: Setup, missing: readonly Missing[]): Setup {
  const gone = new Set(missing.map(({ category, name }) => `${category}\n${name}`))
  return {
    ...setup,
    chosen: inEach((category) => {
      const chosen = setup.chosen[category]
      return chosen === 'all' ? chosen : chosen.filter((name) => !gone.has(`${category}\n${name}`))
    }),
  }
}

/** What a tap on a filter makes of the choice. Of sorts, which the shop takes one of, another replaces the first. */
export function toggle(category: FilterCategory, chosen: readonly string[], name: string): readonly string[] {
  if (chosen.includes(name)) return chosen.filter((other) => other !== name)
  return category === 'sort_by' ? [name] : [...chosen, name]
}

/** Whether an address would be longer than servers and messengers carry. */
export function isTooLong(search: LinkParams): boolean {
  return encodeURIComponent(JSON.stringify(search)).length > 7_000
}
