import { z } from 'zod'
import { route } from './access.ts'
import { queryInteger } from './query.ts'

/** What an administrator can change. */
const auditKindSchema = z.enum(
  [
    'filter',
    'word',
    'user',
    'ingest_token',
    'import',
    'search',
    'price',
    'deal',
    'source',
    'held_row',
    'destination',
    'alert',
    'delivery',
  ],
  {
    error:
      'must be one of filter, word, user, ingest_token, import, search, price, deal, source, held_row, destination, alert, delivery',
  },
)
export type AuditKind = z.infer<typeof auditKindSchema>

const actions = ['add', 'change', 'remove', 'activate', 'deactivate', 'approve', 'reject', 'import'] as const
const auditActionSchema = z.enum(actions, { error: `must be one of ${actions.join(', ')}` })
export type AuditAction = z.infer<typeof auditActionSchema>

/** The fields that matter of a changed thing, by name. Never a password, a hash or a token. */
const auditStateSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
export type AuditState = z.infer<typeof auditStateSchema>

/** Who did what to what, and when. Names as they were then. */
const auditEntrySchema = z.object({
  id: z.number(),
  at: z.string(),
  actor: z.object({ id: z.number(), username: z.string() }),
  action: z.string(),
  subject: z.object({ kind: z.string(), id: z.number().nullable(), name: z.string() }),
  /** Null when there was nothing before. */
  before: auditStateSchema.nullable(),
  /** Null when there is nothing any more. */
  after: auditStateSchema.nullable(),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>

const instant = z.iso.datetime({
  offset: true,
  error: 'must be a time such as 2026-05-01T00:00:00Z',
})

const auditListInputSchema = z.strictObject({
  /** A username. */
  actor: z.string().trim().toLowerCase().max(64).optional(),
  kind: auditKindSchema.optional(),
  action: auditActionSchema.optional(),
  /** From this instant on. */
  from: instant.optional(),
  /** Before this instant. */
  to: instant.optional(),
  limit: queryInteger(1, 200).default(50),
  cursor: z.string().max(200).optional(),
})
export type AuditListInput = z.infer<typeof auditListInputSchema>

const auditPageSchema = z.object({
  items: z.array(auditEntrySchema),
  next_cursor: z.string().nullable(),
})
export type AuditPage = z.infer<typeof auditPageSchema>

export const auditRoutes = {
  list: route
    .route({ method: 'GET', path: '/api/audit', summary: 'What administrators changed, newest first' })
    .meta({ access: 'admin' })
    .input(auditListInputSchema)
    .output(auditPageSchema),
  actors: route
    .route({ method: 'GET', path: '/api/audit/actors', summary: 'Everybody who ever changed something' })
    .meta({ access: 'admin' })
    .output(z.array(z.string())),
}
