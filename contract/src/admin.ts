import { z } from 'zod'
import { route } from './access.ts'

/** What the dashboard counts: filters, active words, users of every state, deals that everybody sees. */
const adminStatsSchema = z.object({
  filters: z.number(),
  words: z.number(),
  users: z.number(),
  /** Of the users, those who wait for approval. */
  pending_users: z.number(),
  deals: z.number(),
})
export type AdminStats = z.infer<typeof adminStatsSchema>

const unavailableDealsSchema = z.object({
  /** How many deals are stored that nobody sees only because nothing says that they can be had. */
  count: z.number(),
})

export const adminRoutes = {
  stats: route
    .route({ method: 'GET', path: '/api/admin/stats', summary: 'The figures of the dashboard' })
    .meta({ access: 'admin' })
    .output(adminStatsSchema),
  unavailableDeals: route
    .route({
      method: 'GET',
      path: '/api/admin/unavailable-deals',
      summary: 'How many deals nobody sees for want of an availability',
    })
    .meta({ access: 'admin' })
    .output(unavailableDealsSchema),
}
