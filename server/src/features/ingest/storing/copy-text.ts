import { foldText } from '@dealdeck/query/folding'
import { dealFields, fieldNames } from '../../deals/writing/fields.ts'
import type { DealRow } from '../reading/deal-row.ts'
import type { Microseconds } from '../reading/times.ts'

const missing = '\\N'
/** Texts come here without control characters. */
const ascii = /^[ -~]*$/

type Writer = (deal: DealRow, now: Microseconds) => string | number | boolean

/** A field that a row states and the table of fields doesn't know, or the reverse, would not compile. */
function writerOf(
  name: Exclude<
    keyof DealRow,
    | 'asin'
    | 'first_seen'
    | 'observed_at'
    | 'is_over'
    | 'is_original_doubtful'
    | 'other_currency'
    | 'other_marketplace'
  >,
): Writer {
  const { kind } = dealFields[name]
  // Only times are compared with now; a table that calls another field one would not compile in `DealRow`.
  if (kind === 'time') return (deal, now) => pastOrMissing(deal[name] as Microseconds | null, now)
  return (deal) => {
    const value = deal[name]
    return typeof value === 'string' ? escaped(value) : (value ?? missing)
  }
}
const writers = fieldNames.map(writerOf)

/** A deal as one line of COPY's text format, in the order of `stagedColumns`. A time to come becomes `now`, but for an end. */
export function copyLine(rowNumber: number, deal: DealRow, now: Microseconds): string {
  const observed = deal.observed_at
  // PostgreSQL folds ASCII exactly as foldText does: half the bytes need not travel.
  const folded = ascii.test(deal.title) ? missing : escaped(foldText(deal.title))
  let line = `${rowNumber}\t${deal.asin}\t${observed === null || observed > now ? now : observed}\t${observed !== null}\t${folded}\t${pastOrMissing(deal.first_seen, now)}\t${deal.is_over ?? missing}\t${deal.is_original_doubtful ?? missing}\t${textOrMissing(deal.other_currency)}\t${textOrMissing(deal.other_marketplace)}`
  for (const write of writers) line += `\t${write(deal, now)}`
  return `${line}\n`
}

function pastOrMissing(time: Microseconds | null, now: Microseconds): number | string {
  return time === null ? missing : Math.min(time, now)
}

const textOrMissing = (text: string | null) => (text === null ? missing : escaped(text))

function escaped(text: string): string {
  if (!/[\\\n\r\t]/.test(text)) return text
  return text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character)
}

/** The values of such a line, each as PostgreSQL would take it for its column. */
export function readLine(line: string): (string | null)[] {
  return line.split('\t').map((value) => (value === missing ? null : unescaped(value)))
}

function unescaped(value: string): string {
  if (!value.includes('\\')) return value
  return value.replace(/\\(.)/g, (_, sign: string) => controls[sign] ?? sign)
}

const controls: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
