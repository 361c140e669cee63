import type { PricePoint, Verdict } from '@dealdeck/contract/prices'
import type { Marketplace } from '@dealdeck/marketplace/marketplaces'
import { Command } from 'commander'
import { findVerdict, listPrices, nameOf } from '../features/prices/queries.ts'
import { systemClock } from '../platform/clock.ts'
import { money } from '../platform/money.ts'
import { withDatabases } from './database.ts'

type Found = { asin: string; title: string; verdict: Verdict; prices: PricePoint[] }

/** `prices ASIN [--json]`: what was observed of a deal's price, and what that says of it. */
export function pricesCommand(): Command {
  return new Command('prices')
    .description('what was observed of the price of a deal, and what that says of it now')
    .argument('<asin>', 'the ASIN of the deal, also of a hidden one')
    .option('--json', 'for programs')
    .action(async (asin: string, flags: { json?: boolean }) => {
      await withDatabases(
        async ({ databases, settings }) => {
          const { MARKETPLACE: marketplace } = settings
          const pool = databases.customPlanPool
          const { id, title } = await nameOf(pool, asin.toUpperCase())
          const asked = { includeHidden: true, now: systemClock(), marketplace }
          const found = {
            ...{ asin: asin.toUpperCase(), title },
            verdict: await findVerdict(pool, id, asked),
            prices: await listPrices(pool, id, asked),
          }
          console.log(flags.json ? JSON.stringify(found, null, 2) : priceTable(found, marketplace).join('\n'))
        },
        { onlyReads: true },
      )
    })
}

/** The sentence, and a line for each point; times in UTC. */
export function priceTable({ asin, title, verdict, prices }: Found, marketplace: Marketplace): string[] {
  const amount = (value: number | null) => (value === null ? '' : money(value, marketplace))
  const rows = prices.map((point) => [
    minute(point.seen_at),
    point.confirmed_until === null ? 'unknown' : minute(point.confirmed_until),
    point.price === null ? 'not offered' : amount(point.price),
    amount(point.original_price),
    point.origin === null ? '' : `${point.origin.source} (import ${point.origin.import_id})`,
    point.is_wrong ? 'marked as wrong' : point.is_suspect ? 'seen only briefly' : '',
  ])
  const table = [['first seen', 'last seen', 'price', 'list price', 'from', ''], ...rows]
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  )
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [`${asin}  ${title}`, verdict.text, '', ...lines]
}

const minute = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)}`
