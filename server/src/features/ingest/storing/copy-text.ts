import { foldText } from '../../deals/rules.ts'
import type { DealRow } from '../reading/deal-row.ts'
import type { Microseconds } from '../reading/times.ts'

/** The columns of the staging table, in the order `copyLine` writes them. */
export const stagedColumns =
  'row_no, asin, observed, is_timed, title, title_folded, price, original_price, rating, review_count, image_url, availability, prime_eligible, first_seen, posted_to_discord, discord_timestamp'

const missing = '\\N'
/** Texts come here without control characters. */
const ascii = /^[ -~]*$/

/** A deal as one line of COPY's text format. A time to come is a mistake of the source and becomes `now`. */
export function copyLine(rowNumber: number, deal: DealRow, now: Microseconds): string {
  const observed = deal.observed_at
  return `${rowNumber}\t${deal.asin}\t${observed === null || observed > now ? now : observed}\t${observed !== null}\t${escaped(deal.title)}\t${
    // PostgreSQL folds ASCII exactly as foldText does: half the bytes need not travel.
    ascii.test(deal.title) ? missing : escaped(foldText(deal.title))
  }\t${deal.price}\t${deal.original_price ?? missing}\t${deal.rating ?? missing}\t${deal.review_count ?? missing}\t${textOf(deal.image_url)}\t${textOf(deal.availability)}\t${
    deal.prime_eligible ?? missing
  }\t${pastOrMissing(deal.first_seen, now)}\t${deal.posted_to_discord ?? missing}\t${pastOrMissing(deal.discord_timestamp, now)}\n`
}

function pastOrMissing(time: Microseconds | null, now: Microseconds): number | string {
  return time === null ? missing : Math.min(time, now)
}

function textOf(text: string | null): string {
  return text === null ? missing : escaped(text)
}

function escaped(text: string): string {
  if (!/[\\\n\r\t]/.test(text)) return text
  return text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character)
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
