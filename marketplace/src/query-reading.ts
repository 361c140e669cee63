import { decodeOnce, decodeQuery } from './percent-encoding.ts'
import {
  add,
  emptyReading,
  merge,
  type Piece,
  plainText,
  type Reading,
  readParameter,
  readRefinement,
  readRefinements,
  refinementName,
} from './pieces.ts'
import { readPrice } from './prices.ts'
import { meaningOf } from './search-parameters.ts'

/** What a query string asks for; prices are those of the price box, in whole units. */
export type QueryReading = Reading & { minPrice: number | null; maxPrice: number | null }

/**
 * Reads a query string, still encoded, of a search address or of a code that is written like one. Parameters that
 * search for nothing (where somebody came from, who earns) are passed over; whatever else can't be read is a problem.
 */
export function readQuery(query: string): QueryReading {
  const reading: QueryReading = { ...emptyReading(), minPrice: null, maxPrice: null }
  // By name: an address may hold thousands, each of which would look through all before it.
  const parameters = new Map<string, Piece>()
  for (const part of query.split('&')) {
    const equals = part.indexOf('=')
    const name = decodeOnce(equals < 0 ? part : part.slice(0, equals)).trim()
    const value = equals < 0 ? '' : decodeQuery(part.slice(equals + 1)).trim()
    if (equals < 0 && name.includes(':')) merge(reading, readRefinements(separated(name)))
    else if (refinementName.test(name)) merge(reading, readRefinements(`${name}:${value}`))
    else readPart(reading, parameters, name, value)
  }
  return reading
}

function readPart(reading: QueryReading, parameters: Map<string, Piece>, name: string, value: string): void {
  const meaning = meaningOf(name, value)
  if (meaning.kind === 'tracking' || value === '') return
  const part = `${name}=${value}`
  switch (meaning.kind) {
    case 'keyword': {
      const keyword = plainText(value)
      if (reading.keyword === '') reading.keyword = keyword
      else if (keyword !== reading.keyword)
        reading.problems.push({ part, message: 'A search has one keyword.' })
      return
    }
    case 'refinements':
      merge(reading, readRefinements(separated(meaning.value)))
      return
    case 'refinement':
      add(reading, readRefinement(meaning.name, meaning.value), part)
      return
    case 'parameter':
      addParameter(reading, parameters, readParameter(meaning.name, meaning.value), part)
      return
    default: {
      const price = readPrice(value)
      if (price === null) {
        reading.problems.push({ part, message: `'${name}' takes a price, such as 30.` })
      } else if (meaning.kind === 'low_price') reading.minPrice ??= price
      else reading.maxPrice ??= price
    }
  }
}

/** The shop takes one value of a parameter. */
function addParameter(
  reading: Reading,
  parameters: Map<string, Piece>,
  piece: Piece | string,
  part: string,
): void {
  const other = typeof piece === 'string' ? undefined : parameters.get(piece.name)
  if (typeof piece !== 'string' && other && other.value !== piece.value) {
    reading.problems.push({ part, message: `The shop takes one '${piece.name}=', and here are two.` })
    return
  }
  if (typeof piece !== 'string') parameters.set(piece.name, piece)
  add(reading, piece, part)
}

/** Fragments that something else than a comma separates, or an escaped one, with commas between them. */
export function separated(fragments: string): string {
  const spaced = plainText(fragments)
  return spaced.replace(/(?:[&; ]|%(?:25)*2C) ?(?=(?:n|p_[\w-]+) ?(?::|%(?:25)*3A))/gi, ',')
}
