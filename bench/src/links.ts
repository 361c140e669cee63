import { defaultFilters } from '@dealdeck/marketplace/default-filters'
import { emptyLinkQuery, type LinkQuery } from '@dealdeck/marketplace/filters'
import { describeSearch } from '@dealdeck/marketplace/link-words'
import { buildSearchLink } from '@dealdeck/marketplace/search-links'
import { parseSearchLink } from '@dealdeck/marketplace/search-parsing'
import { atMost, median, type Report } from './report.ts'

const runs = 2_000
const chosenFilters = 200
const manyBrands = 5_000
const shop = { domain: 'amazon.com', affiliateTag: 'own-20' }

/** What happens with every key pressed in the link generator, compared with encoding the finished words and no more. */
export async function measureLinks(): Promise<Report> {
  const search = queryOf(chosenFilters)
  const address = buildSearchLink(search, shop)
  const asked = Object.fromEntries(new URL(address).searchParams)
  const many = brands(manyBrands).map((brand) => ({ ...brand, category: 'brands' as const }))
  const known = [...defaultFilters(shop.domain), ...many]
  // Whoever goes first warms the machine for the rest, so they take turns.
  const timeOf = takeTurns({
    bare: () => `https://www.amazon.com/s?${new URLSearchParams(asked)}`,
    build: () => buildSearchLink(search, shop),
    words: () => describeSearch(search, { currency: 'USD', locale: 'en-US' }),
    parse: () => parseSearchLink(address, known, shop)?.keyword ?? '',
  })
  const times = {
    bare: timeOf('bare'),
    build: timeOf('build'),
    words: timeOf('words'),
    parse: timeOf('parse'),
  }
  const note = `address of ${address.length} characters; ${(times.build / times.bare).toFixed(1)} × the bare encoding of it (${times.bare.toFixed(3)} ms)`
  return {
    title: `Links, ${chosenFilters} filters chosen`,
    figures: [
      atMost('building the link', times.build, 0.2, 'ms p50', note),
      atMost('saying it in words', times.words, 2, 'ms p50'),
      atMost(`reading it among ${known.length} filters`, times.parse, 20, 'ms p50'),
    ],
    details: times,
  }
}

function queryOf(filters: number): LinkQuery {
  const search = emptyLinkQuery()
  const sorts = defaultFilters(shop.domain).filter(({ category }) => category === 'sort_by')
  const others = defaultFilters(shop.domain).filter(
    ({ category, code }) => category !== 'sort_by' && category !== 'brands' && !code.startsWith('i='),
  )
  for (const filter of others) search.filters[filter.category].push(filter)
  search.filters.sort_by = sorts.slice(0, 1)
  search.filters.brands = brands(filters - others.length - 1)
  return { ...search, keyword: 'phone case & cover', minPrice: 5, maxPrice: 19.99 }
}

const brands = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `Brand ${index}`, code: `p_89:Brand ${index}` }))

function takeTurns(works: Record<string, () => string>): (name: string) => number {
  const times = new Map<string, number[]>()
  for (let run = -200; run < runs; run++) {
    for (const [name, work] of Object.entries(works)) {
      const start = performance.now()
      const text = work()
      const took = performance.now() - start
      if (text === '') throw new Error(`Nothing came of '${name}'`)
      if (run === 0) times.set(name, [took])
      else if (run > 0) times.get(name)?.push(took)
    }
  }
  return (name) => median(times.get(name) ?? [])
}
