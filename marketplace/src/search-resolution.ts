import { codePieces } from './filter-codes.ts'
import type { LinkQuery, NamedCode } from './filters.ts'
import { percentRanges, plainText } from './pieces.ts'
import { priceRange } from './prices.ts'

/** A filter that can't be in the link as it is, and why in plain words. */
export type LeftOut = NamedCode & { reason: string }

/** What a search comes to once its filters have been put together. */
export type ResolvedSearch = {
  keyword: string
  parameters: ReadonlyMap<string, string>
  /** The values of each refinement, in the order in which they were chosen. */
  refinements: ReadonlyMap<string, readonly string[]>
  leftOut: readonly LeftOut[]
}

/**
 * Puts the filters of a search together. The shop takes one value of each parameter, so of two filters that set the
 * same one differently the second is left out: what is chosen comes before custom filters, a store (several parameters)
 * before a department that is only a name. Of several sorts the last counts. A price comes before ranges in codes.
 */
export function resolveSearch({ keyword, minPrice, maxPrice, filters, custom }: LinkQuery): ResolvedSearch {
  const parameters = new Map<string, string>()
  const refinements = new Map<string, Set<string>>()
  const leftOut: LeftOut[] = []
  const range = priceRange(minPrice, maxPrice)

  function addParameters(filter: NamedCode): void {
    const pieces = codePieces(filter.code)
    const wanted = pieces.filter(({ kind }) => kind === 'parameter')
    const clash = wanted.find(({ name, value }) => (parameters.get(name) ?? value) !== value)
    if (!clash) for (const { name, value } of wanted) parameters.set(name, value)
    // The refinements of a filter ask for it well enough.
    else if (wanted.length === pieces.length) {
      const reason = `The shop takes one '${clash.name}=', and another filter sets it.`
      leftOut.push({ ...filter, reason })
    }
    if (pieces.length === 0) leftOut.push({ ...filter, reason: 'Its code is none.' })
  }

  function addRefinements(filter: NamedCode): void {
    for (const { kind, name, value } of codePieces(filter.code)) {
      if (kind === 'parameter') continue
      if (name === 'p_36' && range !== null && value !== range) {
        leftOut.push({ ...filter, reason: 'The price range of the search comes first.' })
      } else addValue(name, value)
    }
  }

  function addValue(name: string, value: string): void {
    const values = refinements.get(name)
    if (values) values.add(value)
    else refinements.set(name, new Set([value]))
  }

  const { brands, deals, percent_off, departments, sold_by, sort_by } = filters
  const sort = sort_by.slice(-1)
  for (const filter of [sort, storesFirst(departments), brands, deals, percent_off, sold_by, custom].flat()) {
    addParameters(filter)
  }
  for (const filter of [departments, brands].flat()) addRefinements(filter)
  if (range !== null) addValue('p_36', range)
  for (const filter of [deals, percent_off, sold_by, sort, custom].flat()) addRefinements(filter)
  return {
    keyword: plainText(keyword),
    parameters,
    refinements: new Map(
      Array.from(refinements, ([name, values]) => [
        name,
        percentRanges.has(name) ? withWidestRange([...values]) : [...values],
      ]),
    ),
    leftOut,
  }
}

/** Departments that set more parameters first: two of them can't both be asked for by name. */
function storesFirst(departments: readonly NamedCode[]): NamedCode[] {
  const parameterCount = ({ code }: NamedCode) =>
    codePieces(code).filter(({ kind }) => kind === 'parameter').length
  return departments.toSorted((a, b) => parameterCount(b) - parameterCount(a))
}

/** Percentages as one range that holds them all; the shop's own numbered ranges stay beside it. */
function withWidestRange(values: readonly string[]): string[] {
  const ranges = values.flatMap((value) => {
    const [, from, to] = /^(\d*)-(\d*)$/.exec(value) ?? []
    return from === undefined || to === undefined
      ? []
      : [{ from: Number(from), to: to === '' ? 100 : Number(to) }]
  })
  const numbered = values.filter((value) => !value.includes('-'))
  // One range stays as it was written.
  if (ranges.length < 2) return [...values]
  const from = Math.min(...ranges.map((range) => range.from))
  const to = Math.max(...ranges.map((range) => range.to))
  return [to >= 100 ? `${from}-` : `${from}-${to}`, ...numbered]
}
