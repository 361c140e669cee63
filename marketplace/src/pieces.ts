import { decodeFully, mostLayers } from './percent-encoding.ts'

/** The smallest thing a filter adds to a search: one value of one refinement in `rh=`, or one parameter. */
export type Piece = { kind: 'refinement' | 'parameter'; name: string; value: string }

/** What could be read, by key and in its order, and what could not: the part itself, and why in plain words. */
export type Reading = {
  pieces: Map<string, Piece>
  problems: { part: string; message: string }[]
  keyword: string
}

export const emptyReading = (): Reading => ({ pieces: new Map(), problems: [], keyword: '' })

export const refinementName = /^(?:n|p_[\w-]+)$/i
const longestValue = 300
export const percentRanges = new Set(['p_8', 'p_n_pct-off-with-tax'])

/** Two pieces with the same key ask for the same thing. */
export function pieceKey({ kind, name, value }: Piece): string {
  return kind === 'refinement' ? `${name}:${value}` : `${name}=${value}`
}

/** Text without what can't be seen: control characters, line ends, marks of order, halves of characters. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
}

/** The text without any of these characters at its ends. In one pass, which a pattern would not do. */
export function trimmed(text: string, startCharacters: string, endCharacters = startCharacters): string {
  let [start, end] = [0, text.length]
  while (start < end && startCharacters.includes(text.charAt(start))) start++
  while (end > start && endCharacters.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/**
 * A typed value in normal form: no escapes left, no quotes around it, no separator at its end. Some repeat the name
 * before each value, as in `p_89:Acme|p_89:Bolt`.
 */
function plainValue(name: string, text: string): string {
  let value = text
  for (let round = 0, before = ''; before !== value && round < mostLayers; round++) {
    before = value
    value = trimmed(plainText(decodeFully(value).replaceAll('&amp;', '&')), '&; ')
    value = value.replace(/^(["'“‘`])(.+)["'”’`]$/, '$2')
    if (name !== '' && value.toLowerCase().startsWith(`${name}:`)) value = value.slice(name.length + 1)
  }
  return value
}

/**
 * Reads the value of `rh=`, of which one layer of encoding may be left, as the shop itself leaves one on some pages.
 * `i:` and `k:` were the department and the keyword of its older addresses.
 */
export function readRefinements(list: string): Reading {
  const reading = emptyReading()
  for (const part of list.split(',')) {
    const text = part.trim()
    if (text === '') continue
    const colon = text.indexOf(':')
    const decoded = colon < 0 ? decodeFully(text) : text
    if (decoded !== text && decoded.includes(':')) merge(reading, readRefinements(decoded))
    else if (colon < 0) reading.problems.push({ part: text, message: noName(text, reading.pieces.size > 0) })
    else readValues(reading, text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1))
  }
  return reading
}

function readValues(reading: Reading, name: string, values: string): void {
  if (name === 'k') {
    reading.keyword ||= plainText(decodeFully(values))
    return
  }
  // The shop writes `%257C` between values on some pages.
  for (const value of values.replace(/%(?:25)*7C/gi, '|').split('|')) {
    const text = plainValue(name, value)
    if (text === '') continue
    add(reading, name === 'i' ? readParameter('i', text) : readRefinement(name, text), `${name}:${text}`)
  }
}

/** One refinement, its value decoded, or what is wrong with it. */
export function readRefinement(name: string, text: string): Piece | string {
  const refinement = name.toLowerCase()
  if (!refinementName.test(refinement)) {
    return `'${cut(name)}' is no refinement of the shop: their names are 'n' or begin with 'p_', as in p_8:50-.`
  }
  const value = correctedValue(refinement, plainValue(refinement, text))
  const problem = refinementProblem(refinement, value)
  return problem ?? { kind: 'refinement', name: refinement, value }
}

/** What is meant by values that are nearly right. */
function correctedValue(name: string, value: string): string {
  if (!percentRanges.has(name)) return value
  const bare = value.replace(/[\s%]/g, '')
  return /^\d{1,3}$/.test(bare) ? `${bare}-` : bare
}

function refinementProblem(name: string, value: string): string | null {
  if (value.includes(',')) {
    return `A comma separates filters, so '${cut(value)}' can't hold one. Use the number the shop gives it instead of its name.`
  }
  if (name === 'n' && !/^!?\d+$/.test(value)) {
    return `A department is a number, as in n:172282, not '${cut(value)}'.`
  }
  if (name === 'p_36' && !/^(?:\d{6,20}|\d{1,10}-\d{0,10}|-\d{1,10})$/.test(value)) {
    return `A price is in cents, as in p_36:500-3000 for 5 to 30, not '${cut(value)}'.`
  }
  if (percentRanges.has(name) && !/^(?:\d{6,}|\d{1,3}-\d{0,3}|-\d{1,3})$/.test(value)) {
    return `A percentage is a range, as in ${name}:50- for 50% and more, not '${cut(value)}'.`
  }
  return valueProblem(name, value)
}

/** One parameter, its value decoded, or what is wrong with it. */
export function readParameter(name: string, text: string): Piece | string {
  const value = plainValue('', text)
  if (!/^[a-z_][\w.-]{0,60}$/i.test(name)) return `'${cut(name)}' is no name of a parameter.`
  return valueProblem(name, value) ?? { kind: 'parameter', name, value }
}

function valueProblem(name: string, value: string): string | null {
  if (value === '') return `There is no value after '${cut(name)}'.`
  if (value.length > longestValue)
    return `The value of '${cut(name)}' is longer than ${longestValue} characters.`
  // Text that looks like an escape and is none would be read differently each time it is.
  return /%[0-9a-f]{2}/i.test(value) ? `'${cut(value)}' holds a broken percent sign.` : null
}

function noName(text: string, isAfterAnother: boolean): string {
  return isAfterAnother
    ? `A comma separates filters, and '${cut(text)}' is none. A name that holds a comma can't be asked for; use the number the shop gives it.`
    : `'${cut(text)}' doesn't say what it filters. A filter is a name, a colon and a value, as in p_8:50-.`
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}

export function merge(reading: Reading, { pieces, problems, keyword }: Reading): void {
  for (const [key, piece] of pieces) if (!reading.pieces.has(key)) reading.pieces.set(key, piece)
  reading.problems.push(...problems)
  reading.keyword ||= keyword
}

/** Adds what was read, once, or what is wrong with it. `part` is what was read, as it stood there. */
export function add(reading: Reading, piece: Piece | string, part: string): void {
  if (typeof piece === 'string') reading.problems.push({ part, message: piece })
  else if (!reading.pieces.has(pieceKey(piece))) reading.pieces.set(pieceKey(piece), piece)
}
