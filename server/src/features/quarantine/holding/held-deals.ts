import { z } from 'zod'

/** A row that waits. */
type WaitingDeal = { deal: unknown }

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

/** Rows with the same columns and terms as one body to be imported; null where they may not be shown any more. */
type HeldBody<T> = { rows: T[]; content: { body: Bytes; map: string; history: 'keep' | 'none' } | null }
type Bytes = AsyncIterable<Uint8Array>

/** Puts rows of a source into bodies to be imported. Left out are those that can't be read, as another version of Dealdeck held them. */
export function bodiesOf<T extends WaitingDeal>(
  rows: readonly T[],
  { keepsHistory, now }: { keepsHistory: boolean; now: Date },
): HeldBody<T>[] {
  const lists = new Map<string, { rows: T[]; lines: string[]; map: string; history: 'keep' | 'none' }>()
  const past: T[] = []
  for (const row of rows) {
    const { success, data } = heldDeal.safeParse(row.deal)
    if (!success) continue
    const { fields, hide_at, ...terms } = data
    if (hide_at && hide_at <= now) {
      past.push(row)
      continue
    }
    const history = keepsHistory && terms.keeps_history ? 'keep' : 'none'
    const map = Object.keys(fields)
      .map((name) => `${name}=${name}`)
      .join()
    const list = lists.get(`${history} ${map}`) ?? { rows: [], lines: [], map, history }
    list.rows.push(row)
    list.lines.push(JSON.stringify(fields))
    lists.set(`${history} ${map}`, list)
  }
  const bodies: HeldBody<T>[] = [...lists.values()].map(({ rows: ofBody, lines, map, history }) => ({
    rows: ofBody,
    content: { body: linesOf(lines), map, history },
  }))
  return past.length > 0 ? [...bodies, { rows: past, content: null }] : bodies
}

async function* linesOf(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const line of lines) yield encoder.encode(`${line}\n`)
}
