import type { ImportPreview } from '@dealdeck/contract/ingest'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { productLink } from '@dealdeck/marketplace/product-links'
import { Body } from './body.ts'
import type { Bytes } from './bytes.ts'
import { parseColumnMap } from './corrections.ts'
import { type DealRow, isOfOtherShop } from './deal-row.ts'
import { parseListPath } from './json-lists.ts'
import type { BodyLimits } from './limits.ts'
import type { RawRow } from './raw-row.ts'
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

/** What becomes of a row, why in words, and what such rows are counted under. */
type Judged = { fate: 'deal' | 'held' | 'refused'; reason: string; counted: string }
/** Says what becomes of a row. Without it those of other shops are refused, and all others are deals. */
type Judge = (row: DealRow) => Judged
export type PreviewOptions = Omit<OpenOptions, 'marksOtherShops'> & { judge?: Judge }

/**
 * How the first rows of a body would be understood; the body may be cut off anywhere. Writes nothing, and returns only when
 * all of the body has come: many clients hear no answer before they have sent everything.
 */
export async function previewBody(
  { marketplace }: { marketplace: Marketplace },
  body: Bytes,
  { judge, ...options }: PreviewOptions,
): Promise<ImportPreview> {
  const chunks = body[Symbol.asyncIterator]()
  // Without `return`: whoever stops reading early leaves the rest to be drained.
  const beginning: Bytes = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) }
  try {
    const reading = openBody(
      marketplace,
      beginning,
      { ...options, marksOtherShops: judge !== undefined },
      true,
    )
    return await preview(reading, marketplace.domain, judge)
  } finally {
    await drain(chunks, options.signal)
  }
}

async function preview(reading: Body, domain: string, judge: Judge | undefined): Promise<ImportPreview> {
  const rejects = new Rejects()
  const held = new Rejects()
  const rows: Record<Row['fate'], Row[]> = { deal: [], held: [], left_out: [], refused: [] }
  const own = new Set<string>()
  const others: Other[] = []
  const show = (row: number, raw: RawRow, { fate, deal, reason }: Pick<Row, 'fate' | 'deal' | 'reason'>) => {
    const cells = reading.columns.map((column) => [column.name, cellText(column.read(raw)).slice(0, 300)])
    rows[fate].push({ row, cells: Object.fromEntries(cells), fate, deal, reason })
  }
  const count = (row: number, { asin }: DealRow, { fate, counted: reason }: Settled) => {
    if (fate === 'refused') rejects.add({ row, asin, reason })
    if (fate === 'held') held.add({ row, asin, reason })
  }
  let received = 0
  for await (const batch of reading.batches()) {
    for (const { raw, result } of batch) {
      received += 1
      const { deal, refusal } = result
      if (deal && judge && isOfOtherShop(deal)) {
        others.push({ row: received, raw, deal })
        continue
      }
      if (deal && judge) own.add(deal.asin)
      const judged = deal && judge?.(deal)
      if (refusal) rejects.add({ row: received, ...refusal })
      if (judged) count(received, deal, judged)
      const fate = judged?.fate ?? (deal ? 'deal' : 'refused')
      const reason = refusal?.reason ?? (judged?.reason || null)
      const isDeal = deal && fate !== 'refused'
      if (rows[fate].length < shownRows)
        show(received, raw, { fate, deal: isDeal ? shownDeal(deal, domain) : null, reason })
    }
    if (received >= readRows) break
  }
  for (const { row, raw, deal, judged } of judge ? judgedRows(others, own, judge) : []) {
    const { fate, reason } = judged
    count(row, deal, judged)
    const isDeal = fate === 'deal' || fate === 'held'
    const stated = { ...shownDeal(deal, domain), ...(fate === 'held' && statedBy(deal)) }
    if (rows[fate].length < shownRows) show(row, raw, { fate, reason, deal: isDeal ? stated : null })
  }
  for (const shown of [rows.deal, rows.held]) shown.sort((one, other) => one.row - other.row)
  const { rejected_total, rejected_by_reason } = rejects.report()
  const { rejected_total: held_total, rejected_by_reason: held_by_reason } = held.report()
  return {
    format: reading.format,
    columns: reading.columns.map(({ name }) => name),
    mapping: reading.mappedNames(),
    notes: reading.notes(),
    ...{ received, rejected_total, rejected_by_reason, held_total, held_by_reason },
    rows: [...rows.deal, ...rows.held, ...rows.left_out, ...rows.refused].slice(0, shownRows),
  }
}

type Other = { row: number; raw: RawRow; deal: DealRow }
type Settled = Omit<Judged, 'fate'> & { fate: Row['fate'] }

const leftOut = 'a row of this marketplace has the same item'

/** What becomes of rows of other shops, once it is known which items there are as those of this one. */
function judgedRows(
  others: readonly Other[],
  own: ReadonlySet<string>,
  judge: Judge,
): Array<Other & { judged: Settled }> {
  const judged = others.map((other) => ({ ...other, judged: judge(other.deal) }))
  const taken = judged.filter((other) => other.judged.fate === 'deal').map(({ deal }) => deal.asin)
  const known = new Set(taken)
  return judged.map((other) => {
    const isTaken = other.judged.fate !== 'deal' && known.has(other.deal.asin)
    if (!isTaken && !own.has(other.deal.asin)) return other
    return { ...other, judged: { fate: 'left_out', reason: leftOut, counted: leftOut } }
  })
}

/** In what money a price is that waits, and whose item it is. */
const statedBy = ({ other_currency: currency, other_marketplace: marketplace }: DealRow) => ({
  currency,
  marketplace,
})

/** A body that breaks off meanwhile has an answer nobody waits for. */
async function drain(chunks: AsyncIterator<Uint8Array>, signal: AbortSignal | undefined): Promise<void> {
  try {
    while (!signal?.aborted && !(await chunks.next()).done);
  } catch {}
}

function shownDeal(
  { is_over, is_original_doubtful, other_currency: _currency, other_marketplace: _shop, ...deal }: DealRow,
  domain: string,
): Row['deal'] {
  const iso = (time: number | null) => (time === null ? null : new Date(time / 1000).toISOString())
  return {
    ...deal,
    original_price: is_original_doubtful === null ? null : deal.original_price,
    product_url: productLink(deal.asin, domain),
    first_seen: iso(deal.first_seen),
    observed_at: iso(deal.observed_at),
    ends_at: iso(deal.ends_at),
    deal_state: is_over === null ? null : is_over ? 'over' : 'not over',
    discord_timestamp: iso(deal.discord_timestamp),
  }
}
