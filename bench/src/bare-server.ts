import { createServer } from 'node:http'
import { dealListInputSchema } from '@dealdeck/contract/deals'
import { readCursor } from '../../server/src/features/deals/rules.ts'
import { rowStatement } from '../../server/src/features/deals/searching/statements.ts'
import { openDatabases } from '../../server/src/platform/database/database.ts'

// What the feed is measured against: the least that can answer the same request from the same database, written as one
// writes such a server. It asks for the columns of the deals the application's own statement finds, on a pool with the
// application's own options, planned once, and knows no sessions, headers or cache.
const columns = `id, asin, title, price, original_price, discount_percentage, rating, review_count, image_url, product_url,
  availability, prime_eligible, first_seen, last_updated, posted_to_discord, discord_timestamp, is_sample`
const databases = openDatabases(process.env.DATABASE_URL ?? '', (error) => {
  throw error
})

const plan = { kind: 'sort-scan', isGeneric: true } as const

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const { cursor, ...query } = dealListInputSchema.parse(Object.fromEntries(searchParams))
  const after = cursor === undefined ? {} : { cursor: readCursor(cursor, query.sort) }
  const { pool, name, text, values } = rowStatement(plan, { ...query, ...after }, columns)
  const { rows } = await databases[pool].query({ name, text, values })
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(
    JSON.stringify({ items: rows.slice(0, query.limit), next_cursor: rows[query.limit]?.id ?? null }),
  )
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`ready: http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
