import { z } from 'zod'

/** A row that waits, with what its import goes by. */
export type WaitingDeal = { rule: string; deal: unknown; keeps_history: boolean }

/** A time in microseconds, as staged. */
const time = z
  .number()
  .nullable()
  .transform((microseconds) => (microseconds === null ? null : new Date(microseconds / 1000).toISOString()))
const text = z.string().nullable()
const number = z.number().nullable()
const flag = z.boolean().nullable()

/** A row as it was read, under the names that the importer knows. */
const heldDeal = z
  .object({
    ...{ asin: z.string(), title: z.string(), price: z.number(), original_price: number },
    ...{ brand: text, category: text, condition: text, rating: number, review_count: number },
    ...{ image_url: text, availability: text, prime_eligible: flag, posted_to_discord: flag },
    ...{ first_seen: time, observed: time, ends_at: time, discord_timestamp: time, is_over: flag },
    ...{ has_original_price: z.boolean(), has_availability: z.boolean() },
  })
  .transform(({ observed, is_over, has_original_price, has_availability, ...rest }) => {
    const { original_price, availability, ...deal } = rest
    return {
      ...deal,
      observed_at: observed,
      deal_state: is_over === null ? null : is_over ? 'over' : 'not over',
      // A column that the body didn't have would clear what is stored.
      ...(has_original_price && { original_price }),
      ...(has_availability && { availability }),
    }
  })

type HeldBody = { body: AsyncIterable<Uint8Array>; map: string; history: 'keep' | 'none' }

/** Bodies to be imported, each of rows with the same columns. Throws a ZodError for a row of another shape. */
export function bodiesOf(rows: readonly WaitingDeal[]): HeldBody[] {
  const lists = new Map<string, { lines: string[]; history: HeldBody['history'] }>()
  for (const { deal, keeps_history } of rows) {
    const read = heldDeal.parse(deal)
    const history = keeps_history ? 'keep' : 'none'
    const map = Object.keys(read)
      .map((name) => `${name}=${name}`)
      .join()
    const list = lists.get(map) ?? { lines: [], history }
    list.lines.push(JSON.stringify(read))
    lists.set(map, list)
  }
  return [...lists].map(([map, { lines, history }]) => ({ body: linesOf(lines), map, history }))
}

async function* linesOf(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const line of lines) yield encoder.encode(`${line}\n`)
}
