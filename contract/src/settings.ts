import { z } from 'zod'
import { route } from './access.ts'

/** What the browser must know of the installation before anyone signs in. No secret may join this list. */
const publicSettingsSchema = z.object({
  marketplace: z.string(),
  currency: z.string(),
  locale: z.string(),
  /** Carried by every link to the marketplace; empty for none. */
  affiliate_tag: z.string(),
  signup_mode: z.enum(['open', 'approval', 'closed']),
})
export type PublicSettings = z.infer<typeof publicSettingsSchema>

export const settingsRoutes = {
  current: route
    .route({
      method: 'GET',
      path: '/api/settings',
      summary: 'What the browser must know of this installation',
    })
    .meta({ access: 'open' })
    .output(publicSettingsSchema),
}
