import { z } from 'zod'

/** A row that waits, and whether its source keeps history. */
type WaitingDeal = { deal: unknown; keeps_history: boolean }

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
    // By the terms under which it was read: of history, and until when it may be shown.
    ...{ keeps_history: z.boolean().default(true), hide_at: z.coerce.date().nullable().default(null) },
  })
  .transform(({ observed, is_over, has_original_price, has_availability, ...rest }) => {
    const { original_price, availability, keeps_history, hide_at, ...deal } = rest
    const fields = {
      ...deal,
      observed_at: observed,
      deal_state: is_over === null ? null : is_over ? 'over' : 'not over',
      // A column that the body didn't have would clear what is stored.
      ...(has_original_price && { original_price }),
      ...(has_availability && { availability }),
    }
    return { fields, keeps_history, hide_at }
  })

type HeldBody = { body: AsyncIterable<Uint8Array>; map: string; history: 'keep' | 'none' }

/**
 * Bodies to be imported, each of rows with the same columns and terms, without those that may not be shown any more at `now`. Throws a
 * ZodError for a row of another shape.
 */
export function bodiesOf(rows: readonly WaitingDeal[], now: Date): HeldBody[] {
  const lists = new Map<string, Omit<HeldBody, 'body'> & { lines: string[] }>()
  for (const { deal, keeps_history } of rows) {
    const { fields, hide_at, ...terms } = heldDeal.parse(deal)
    if (hide_at && hide_at <= now) continue
    const history = keeps_history && terms.keeps_history ? 'keep' : 'none'
    const map = Object.keys(fields)
      .map((name) => `${name}=${name}`)
      .join()
    const list = lists.get(`${history} ${map}`) ?? { lines: [], map, history }
    list.lines.push(JSON.stringify(fields))
    lists.set(`${history} ${map}`, list)
  }
  return [...lists.values()].map(({ lines, ...list }) => ({ ...list, body: linesOf(lines) }))
}

async function* linesOf(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const line of lines) yield encoder.encode(`${line}\n`)
}
