import { z } from 'zod'
import { route } from './access.ts'

/** How much of the time the installation was up. */
const uptimeSchema = z.object({
  /** 0 to 100 with two decimals, rounded down: 100 means not one minute is missing. */
  percentage: z.number(),
  /** How long was measured, in minutes: since the first start, 30 days at most. */
  minutes: z.number(),
})
export type Uptime = z.infer<typeof uptimeSchema>

const homeSchema = z.object({
  /** Null until something has been recorded. */
  uptime: uptimeSchema.nullable(),
  /** The invitation to the group's chat; null without one. Not for the public, so it is no public setting. */
  community_url: z.string().nullable(),
})
export type Home = z.infer<typeof homeSchema>

export const homeRoutes = {
  current: route
    .route({ method: 'GET', path: '/api/home', summary: 'Uptime and the invitation to the chat' })
    .meta({ access: 'user' })
    .output(homeSchema),
}
