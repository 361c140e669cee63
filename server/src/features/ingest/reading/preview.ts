import type { ImportPreview } from '@dealdeck/contract/ingest'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { productLink } from '@dealdeck/marketplace/product-links'
import { Body } from './body.ts'
import type { Bytes } from './bytes.ts'
import { parseColumnMap } from './corrections.ts'
import type { DealRow } from './deal-row.ts'
import { parseListPath } from './json-lists.ts'
import type { BodyLimits } from './limits.ts'
import { Rejects } from './rejects.ts'
import { cellText, cleanText } from './text.ts'

/** Rows that are read, and shown, of a body at most. */
const readRows = 10_000
const shownRows = 20

/** How to understand a body: `map`, `availability`, `encoding` and `listPath` as in the query of an import. */
export type OpenOptions = {
  map: string
  availability: string
  encoding?: string
  /** Where the list lies in a JSON document, such as `$.deals.dr`; '' to find it. */
  listPath?: string
  limits: BodyLimits
  /** Whether rows that state another currency or marketplace are read and marked, rather than refused. */
  marksOtherShops?: boolean
  signal?: AbortSignal | undefined
}

type Row = ImportPreview['rows'][number]

/** A body with what somebody said of its columns; with `isBeginning` it may be cut off anywhere. Throws INVALID_INPUT for a `map` or `listPath` that can't be read. */
export function openBody(
  marketplace: Marketplace,
  body: Bytes,
  { map, availability, encoding, listPath = '', limits, marksOtherShops = false, signal }: OpenOptions,
  isBeginning = false,
): Body {
  return new Body(body, {
    ...{ marketplace, overrides: parseColumnMap(map), availability: cleanText(availability, 200) },
    ...{ encoding, isBeginning, limits, marksOtherShops, signal },
    ...(listPath !== '' && { listPath: parseListPath(listPath) }),
  })
}

/**
 * How the first rows of a body would be understood; the body may be cut off anywhere. Writes nothing, and returns only when
 * all of the body has come: many clients hear no answer before they have sent everything.
 */
export async function previewBody(
  { marketplace }: { marketplace: Marketplace },
  body: Bytes,
  options: OpenOptions,
): Promise<ImportPreview> {
  const chunks = body[Symbol.asyncIterator]()
  // Without `return`: whoever stops reading early leaves the rest to be drained.
  const beginning: Bytes = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) }
  try {
    return await preview(openBody(marketplace, beginning, options, true), marketplace.domain)
  } finally {
    await drain(chunks, options.signal)
  }
}

async function preview(reading: Body, domain: string): Promise<ImportPreview> {
  const rejects = new Rejects()
  const accepted: Row[] = []
  const refused: Row[] = []
  let received = 0
  for await (const batch of reading.batches()) {
    for (const { raw, result } of batch) {
      received += 1
      if (result.refusal) rejects.add({ row: received, ...result.refusal })
      const rows = result.deal ? accepted : refused
      if (rows.length === shownRows) continue
      const cells = reading.columns.map((column) => [column.name, cellText(column.read(raw)).slice(0, 300)])
      rows.push({
        row: received,
        cells: Object.fromEntries(cells),
        deal: result.deal ? shownDeal(result.deal, domain) : null,
        reason: result.refusal?.reason ?? null,
      })
    }
    if (received >= readRows) break
  }
  const { rejected_total, rejected_by_reason } = rejects.report()
  return {
    format: reading.format,
    columns: reading.columns.map(({ name }) => name),
    mapping: reading.mappedNames(),
    notes: reading.notes(),
    ...{ received, rejected_total, rejected_by_reason },
    rows: [...accepted, ...refused].slice(0, shownRows),
  }
}

/** A body that breaks off meanwhile has an answer nobody waits for. */
async function drain(chunks: AsyncIterator<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
  try {
    while (!signal?.aborted && !(await chunks.next()).done);
  } catch {}
}

function shownDeal(
  { is_over, is_original_doubtful: _, other_currency: _currency, other_marketplace: _shop, ...deal }: DealRow,
  domain: string,
): Row['deal'] {
  const iso = (time: number | null) => (time === null ? null : new Date(time / 1000).toISOString())
  return {
    ...deal,
    product_url: productLink(deal.asin, domain),
    first_seen: iso(deal.first_seen),
    observed_at: iso(deal.observed_at),
    ends_at: iso(deal.ends_at),
    deal_state: is_over === null ? null : is_over ? 'over' : 'not over',
    discord_timestamp: iso(deal.discord_timestamp),
  }
}
