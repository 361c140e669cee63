import { decodeOnce, decodeQuery, mostLayers } from './percent-encoding.ts'
import {
  add,
  emptyReading,
  merge,
  type Piece,
  plainText,
  type Reading,
  readRefinements,
  trimmed,
} from './pieces.ts'
import { priceRange } from './prices.ts'
import { readQuery, separated } from './query-reading.ts'
import { readSearchAddress } from './shop-addresses.ts'

const longestCode = 5_000
const examples = 'such as p_8:50- or s=price-asc-rank'
const parameterStart = /^[a-z_][\w.-]*\s*=/i
const refinementStart = /^(?:n|p_[\w-]+)\s*[:=]/i
const addressStart = /^(?:[a-z][a-z0-9+.-]*:)?\/\/|^(?:[\w-]+\.)+[a-z]{2,}\/|^www\./i

/**
 * Brings the code of a filter, as somebody typed or pasted it, into normal form: `name:value` fragments joined by
 * commas, or `param=value` joined by `&` with the fragments in a last `rh=`. Reading a normal form changes nothing.
 * `problem` says in plain words why a text is no code, and what to write.
 */
export function normaliseFilterCode(text: string): { code: string } | { problem: string } {
  const { pieces, problems } = readCode(text)
  const problem = problems[0]
  return problem ? { problem: problem.message } : { code: writeCode([...pieces.values()]) }
}

/** What a code adds to a search; nothing for a text that is no code. */
export function codePieces(code: string): readonly Piece[] {
  const known = knownCodes.get(code)
  if (known) return known
  const { pieces, problems } = readCode(code)
  const read = problems.length === 0 ? [...pieces.values()] : []
  // Links are built anew with every key pressed, from the same few thousand codes. By their lengths, as pieces take many times as much memory
  // as they have characters, and anybody may send ever new ones.
  knownWeight += code.length + weightOfEntry
  if (knownWeight > mostKnown) {
    knownCodes.clear()
    knownWeight = code.length + weightOfEntry
  }
  knownCodes.set(code, read)
  return read
}
const knownCodes = new Map<string, readonly Piece[]>()
/** In characters, each of which may take forty bytes; an entry by itself counts like some. */
const [mostKnown, weightOfEntry] = [1_500_000, 50]
let knownWeight = 0

/** The pieces in normal form. */
export function writeCode(pieces: readonly Piece[]): string {
  const plain = joinPieces(pieces, (value) => value)
  const escaped = joinPieces(pieces, encodeURIComponent)
  if (plain === escaped) return plain
  // Where a value holds what separates, it is escaped.
  const again = readCode(plain)
  const isSame =
    again.problems.length === 0 && joinPieces([...again.pieces.values()], (value) => value) === plain
  return isSame ? plain : escaped
}

function joinPieces(pieces: readonly Piece[], encode: (value: string) => string): string {
  const refinements = new Map<string, string[]>()
  const parameters: string[] = []
  for (const { kind, name, value } of pieces) {
    if (kind === 'parameter') parameters.push(`${name}=${encode(value)}`)
    else {
      const values = refinements.get(name) ?? []
      values.push(encode(value))
      refinements.set(name, values)
    }
  }
  const fragments = [...refinements].map(([name, values]) =>
    name === 'n' ? values.map((value) => `n:${value}`).join(',') : `${name}:${values.join('|')}`,
  )
  if (parameters.length === 0) return fragments.join(',')
  return [...parameters, ...(fragments.length > 0 ? [`rh=${fragments.join(',')}`] : [])].join('&')
}

function readCode(text: string): Reading {
  if (text.length > longestCode) return refused(`A code has at most ${longestCode} characters.`)
  let rest = withoutQuotes(plainText(text).replaceAll('&amp;', '&'))
  if (rest === '') return refused('Please enter a code.')
  if (addressStart.test(rest)) return readAddress(rest)
  for (let layer = 0, before = ''; before !== rest && layer < mostLayers; layer++) {
    before = rest
    rest = trimmed(rest.replace(/^[?&,;|\s]*\/?s\?/, ''), '?&,;| ', '&,;| ')
    if (addressStart.test(rest)) return readAddress(rest)
    if (refinementStart.test(rest) || parameterStart.test(rest)) return complete(readParts(rest))
    const name = /^rh\s*:\s*(.+)$/i.exec(rest)
    if (name) return complete(readParts(`rh=${name[1]}`))
    const other = /^([\w-]+)\s*:(.+)$/.exec(rest)
    if (other) return complete(readRefinements(rest))
    rest = withoutQuotes(decoded(rest))
  }
  return refused(
    `'${rest.slice(0, 60).toWellFormed()}' doesn't say what it filters. Write a code ${examples}.`,
  )
}

/** A pasted address of a search: what it filters is meant, not what it searches or how somebody came there. */
function readAddress(text: string): Reading {
  const url = readSearchAddress(text)
  if (!url)
    return refused(`This is no address of a search in the shop. Paste one, or write a code ${examples}.`)
  const reading = codeReading(url.search.slice(1))
  for (const [key, { name }] of reading.pieces) if (name === 'page') reading.pieces.delete(key)
  if (reading.pieces.size > 0 || reading.problems.length > 0) return reading
  return refused(`This search has no filter in its address. Write a code ${examples}.`)
}

function complete(reading: Reading): Reading {
  if (reading.problems.length > 0) return reading
  if (reading.keyword !== '') return refused('A code holds no keyword: that has a field of its own.')
  if (reading.pieces.size > 0) return reading
  return refused(`Nothing in this code filters anything. Write a code ${examples}.`)
}

/** Fragments, parameters, or fragments with parameters after them. */
function readParts(text: string): Reading {
  if (!refinementStart.test(text)) return codeReading(text)
  const tail = /&\s*(?=[a-z_][\w.-]*\s*=)/i.exec(text)
  const fragments = (tail ? text.slice(0, tail.index) : text).replace(/^([\w-]+)\s*=/, '$1:')
  // In a text that holds escapes a plus sign is a space, as in an address; in a plain one it is itself.
  const isEncoded = decodeOnce(fragments) !== fragments
  const reading = readRefinements(separated(isEncoded ? fragments.replaceAll('+', ' ') : fragments))
  if (tail) merge(reading, codeReading(text.slice(tail.index + tail[0].length)))
  return reading
}

/** Parameters; the price box becomes the refinement it stands for. */
function codeReading(query: string): Reading {
  // An ampersand before a space belongs to a name, as in `p_89:Barnes & Noble`.
  const { minPrice, maxPrice, ...reading } = readQuery(query.replace(/&(?=\s|$)/g, '%26'))
  const range = priceRange(minPrice, maxPrice)
  if (range !== null) add(reading, { kind: 'refinement', name: 'p_36', value: range }, range)
  return reading
}

/** One layer of encoding undone, plus signs included, if there is any. */
function decoded(text: string): string {
  return decodeOnce(text) === text ? text : decodeQuery(text)
}

/** Without quotes around it, or a stray one; a pair at the end of it belongs to a value. */
function withoutQuotes(text: string): string {
  const given = text.trim()
  const bare = trimmed(given, `"'“‘\` `, '')
  if (bare !== given) return trimmed(bare, '', `"'”’\` `)
  return /["“”`].*["”`]$/.test(bare) ? bare : bare.replace(/["”`]$/, '').trim()
}

function refused(message: string): Reading {
  return { ...emptyReading(), problems: [{ part: '', message }] }
}
