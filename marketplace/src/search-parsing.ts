import { codePieces, writeCode } from './filter-codes.ts'
import { emptyLinkQuery, type Filter, type LinkQuery, type NamedCode } from './filters.ts'
import { pieceName } from './piece-names.ts'
import { type Piece, pieceKey } from './pieces.ts'
import { priceRange, readPriceRange } from './prices.ts'
import { type QueryReading, readQuery } from './query-reading.ts'
import type { LinkShop } from './search-links.ts'
import { readSearchAddress } from './shop-addresses.ts'

/** A search read from an address. `unrecognised` lists the parts of it that no filter can stand for. */
export type ParsedSearch = LinkQuery & { unrecognised: string[] }

/**
 * Reads the address of a search in the shop, the reverse of building one: what a known filter stands for is chosen,
 * the rest becomes custom filters, and only marks of where somebody came from and who earns are dropped. `own` are custom
 * filters to recognise by their code. Null when it is no address of a search in this shop.
 */
export function parseSearchLink(
  address: string,
  known: readonly Filter[],
  shop: Pick<LinkShop, 'domain'>,
  own: readonly NamedCode[] = [],
): ParsedSearch | null {
  const url = readSearchAddress(address, shop.domain)
  if (!url) return null
  const reading = readQuery(url.search.slice(1))
  const unrecognised = reading.problems.map(({ part }) => part)
  if (url.hash.includes('=')) unrecognised.push(url.hash)
  const prices = takePrices(reading, unrecognised)
  const { pieces, keyword } = reading
  pieces.delete('page=1')
  const search = { ...emptyLinkQuery(), keyword, ...prices }
  const left = new Map(pieces)
  for (const { category, name, code } of inOrder(claim(known, left), pieces)) {
    search.filters[category].push({ name, code })
  }
  const recognised = inOrder(claim(own, left), pieces)
  const others = Array.from(left.values(), (piece) => ({ name: pieceName(piece), code: writeCode([piece]) }))
  return {
    ...search,
    custom: [...recognised.map(({ name, code }) => ({ name, code })), ...others],
    unrecognised,
  }
}

/** Takes the price out of what was read: from the only `p_36` range, or the price box where there is none. */
function takePrices(
  { pieces, minPrice, maxPrice }: QueryReading,
  unrecognised: string[],
): Pick<LinkQuery, 'minPrice' | 'maxPrice'> {
  const box = priceRange(minPrice, maxPrice)
  const ranges = [...pieces.values()].filter(({ name }) => name === 'p_36')
  const only = ranges.length === 1 ? ranges[0] : undefined
  const prices = only && readPriceRange(only.value)
  if (ranges.length === 0) return { minPrice, maxPrice }
  if (box !== null && box !== only?.value) unrecognised.push(...boxParts(minPrice, maxPrice))
  if (!only || !prices) return { minPrice: null, maxPrice: null }
  pieces.delete(pieceKey(only))
  return prices
}

function boxParts(minPrice: number | null, maxPrice: number | null): string[] {
  const low = minPrice === null ? [] : [`low-price=${minPrice}`]
  return maxPrice === null ? low : [...low, `high-price=${maxPrice}`]
}

/** The filters all of whose pieces are among those left, which it takes; filters of more pieces come first. */
function claim<T extends NamedCode>(filters: readonly T[], left: Map<string, Piece>): T[] {
  const byLength = filters
    .map((filter) => ({ filter, keys: codePieces(filter.code).map(pieceKey) }))
    .filter(({ keys }) => keys.length > 0 && keys.every((key) => left.has(key)))
    .sort((a, b) => b.keys.length - a.keys.length)
  return byLength
    .filter(({ keys }) => {
      if (!keys.every((key) => left.has(key))) return false
      for (const key of keys) left.delete(key)
      return true
    })
    .map(({ filter }) => filter)
}

/** In the order in which their first pieces stand in the address. */
function inOrder<T extends NamedCode>(filters: readonly T[], pieces: ReadonlyMap<string, Piece>): T[] {
  const positions = new Map([...pieces.keys()].map((key, index) => [key, index]))
  const positionOf = ({ code }: T) =>
    Math.min(...codePieces(code).map((piece) => positions.get(pieceKey(piece)) ?? Number.POSITIVE_INFINITY))
  return filters.toSorted((a, b) => positionOf(a) - positionOf(b))
}
