import { z } from 'zod'
import { route } from './access.ts'
import { importPreviewSchema } from './ingest.ts'
import { nameOf } from './me.ts'
import { queryInteger, rowId } from './query.ts'
import { secretsInput, settingFieldSchema, settingsInput, settingValueSchema } from './setting-fields.ts'

export const longestSourceName = 80
/** So many sources an installation has at most. */
export const mostSources = 500
/** The shortest and the longest time between two runs of a source that can be asked for, in minutes; each is spread by a tenth, so that it may be as much less or more. */
export const [leastInterval, mostInterval] = [5, 24 * 60]

/** What deals can be read from. */
export const sourceKinds = ['address', 'feed', 'keepa', 'creators'] as const
const sourceKindSchema = z.enum(sourceKinds, { error: `must be one of ${sourceKinds.join(', ')}` })
export type SourceKind = z.infer<typeof sourceKindSchema>

/** A kind of sources as its form is made of it. */
const kindDescriptionSchema = z.object({
  kind: sourceKindSchema,
  label: z.string(),
  /** What it reads, and what it takes to use it: one or two sentences. */
  help: z.string(),
  /** Whether the terms of its service allow a history of prices; without, none is kept whatever is asked for. */
  allows_history: z.boolean(),
  fields: z.array(settingFieldSchema),
})
export type KindDescription = z.infer<typeof kindDescriptionSchema>

/** `new`: not asked yet. `waiting`: for its turn, such as for tokens. `failing`: it is tried again, ever more seldom. */
const sourceStateSchema = z.enum(['new', 'running', 'ok', 'waiting', 'not_eligible', 'failing', 'paused'])
export type SourceState = z.infer<typeof sourceStateSchema>

const runStateSchema = z.enum(['running', 'done', 'unchanged', 'waiting', 'not_eligible', 'failed'])

/** One time that a source was asked. Counts are of rows, as in the history of imports. */
const sourceRunSchema = z.object({
  id: z.number(),
  state: runStateSchema,
  started_at: z.string(),
  finished_at: z.string().nullable(),
  received: z.number(),
  created: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  rejected: z.number(),
  /** Rows that wait in quarantine, and rows left out since the same was refused before. */
  held: z.number(),
  refused_before: z.number(),
  /** Deals that ended since the source no longer lists them. */
  ended: z.number(),
  /** What went wrong, or what was decided, in plain sentences. */
  text: z.string().nullable(),
  notes: z.array(z.string()),
  /** What it cost, such as '10 tokens'; null: nothing. */
  cost: z.string().nullable(),
  /** Where refused rows can be read: `/api/imports/{id}/rejects`. */
  import_ids: z.array(z.number()),
})
export type SourceRun = z.infer<typeof sourceRunSchema>

/** What of a source's deals may be said outside of the site, in messages and feeds. */
const mayLeaveSchema = z.strictObject({ price: z.boolean(), picture: z.boolean(), title: z.boolean() })

const sourceSchema = z.object({
  id: z.number(),
  kind: sourceKindSchema,
  name: z.string(),
  settings: z.record(z.string(), settingValueSchema),
  /** Which secrets are there; what they are is never said. */
  secrets: z.array(z.string()),
  /** It is asked as often as something new comes, between these, in minutes. */
  interval_from: z.number(),
  interval_to: z.number(),
  /** Whether its prices are kept as history. */
  keeps_history: z.boolean(),
  may_leave: mayLeaveSchema,
  is_paused: z.boolean(),
  /** Rules of quarantine that don't hold its rows. */
  trusted_rules: z.array(z.string()),
  /** Rules of quarantine whose rows of it are refused without waiting. */
  refused_rules: z.array(z.string()),
  state: sourceStateSchema,
  /** The state in words, such as 'Waits for tokens until 2026-05-04T14:20Z' or what is wrong and what to do. */
  state_text: z.string(),
  failing_since: z.string().nullable(),
  next_run_at: z.string().nullable(),
  last_run_at: z.string().nullable(),
  last_success_at: z.string().nullable(),
  /** Nothing came from it for much longer than usual. */
  is_silent: z.boolean(),
  last_run: sourceRunSchema.nullable(),
  /** Rows in quarantine. */
  held: z.number(),
  /** New deals of each of the last 14 days, UTC, the oldest first. */
  new_per_day: z.array(z.number()),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Source = z.infer<typeof sourceSchema>

const interval = z
  .int({ error: 'must be whole minutes' })
  .min(leastInterval, `must be ${leastInterval} minutes or more`)
  .max(mostInterval, `must be ${mostInterval} minutes or less`)
const boolean = z.boolean({ error: 'must be true or false' })
const ruleNames = z.array(z.string().max(60)).max(50)

const sourceInputSchema = z.strictObject({
  kind: sourceKindSchema,
  name: nameOf(longestSourceName),
  settings: settingsInput.default({}),
  secrets: secretsInput.default({}),
  interval_from: interval.default(15),
  interval_to: interval.default(mostInterval),
  keeps_history: boolean.default(true),
  may_leave: mayLeaveSchema.default({ price: true, picture: true, title: true }),
  is_paused: boolean.default(false),
})
export type SourceInput = z.infer<typeof sourceInputSchema>

const sourceChangeSchema = z.strictObject({
  name: sourceInputSchema.shape.name.optional(),
  settings: settingsInput.optional(),
  /** Only those named are replaced; '' removes one. */
  secrets: secretsInput.optional(),
  interval_from: interval.optional(),
  interval_to: interval.optional(),
  keeps_history: boolean.optional(),
  may_leave: mayLeaveSchema.optional(),
  is_paused: boolean.optional(),
  /** What one of these names is in the other no longer; no rule can be in both. */
  trusted_rules: ruleNames.optional(),
  refused_rules: ruleNames.optional(),
  /** The `updated_at` that the change was based on: when it is another one meanwhile, the change is refused. */
  expected_updated_at: z.iso.datetime({ error: 'must be the updated_at that was read' }).optional(),
})
export type SourceChange = z.infer<typeof sourceChangeSchema>

const tryInputSchema = z.strictObject({
  kind: sourceKindSchema,
  settings: settingsInput.default({}),
  secrets: secretsInput.default({}),
  /** A source whose stored secrets are used where none is given. */
  source_id: z.int().min(1).optional(),
})
export type TryInput = z.infer<typeof tryInputSchema>

/** What a source would bring now; nothing of it is stored. */
const tryResultSchema = z.object({
  /** What is wrong, and what to do about it; null where it was read. */
  problem: z.string().nullable(),
  preview: importPreviewSchema.nullable(),
  /** Lists of objects in a document, by path, where there is more than one. */
  lists: z.array(z.object({ path: z.string(), rows: z.number() })),
  /** What one run costs, and what trying has cost, such as '5 tokens a page of 150'; null: nothing. */
  cost: z.string().nullable(),
  notes: z.array(z.string()),
})
export type TryResult = z.infer<typeof tryResultSchema>

const runPageSchema = z.object({ items: z.array(sourceRunSchema), next_cursor: z.string().nullable() })
export type SourceRunPage = z.infer<typeof runPageSchema>

/** What every screen of an administrator says. */
const sourceAlarmsSchema = z.object({
  held: z.number(),
  silent: z.array(z.object({ id: z.number(), name: z.string(), text: z.string() })),
})
export type SourceAlarms = z.infer<typeof sourceAlarmsSchema>

/** Event `sources`, to administrators: something about this source has changed; of a run under way how far it is. */
export const sourceEventSchema = z.object({
  source_id: z.number(),
  progress: z.object({ phase: z.enum(['asking', 'reading', 'storing']), rows: z.number() }).nullable(),
})

const path = '/api/sources'
const admin = { access: 'admin' } as const
const idInput = z.strictObject({ id: rowId })

export const sourceRoutes = {
  list: route
    .route({ method: 'GET', path, summary: 'Sources that deals are read from' })
    .meta(admin)
    .output(z.object({ items: z.array(sourceSchema) })),
  kinds: route
    .route({ method: 'GET', path: `${path}/kinds`, summary: 'Kinds of sources, and what each needs to know' })
    .meta(admin)
    .output(z.array(kindDescriptionSchema)),
  alarms: route
    .route({ method: 'GET', path: `${path}/alarms`, summary: 'What of sources waits for an administrator' })
    .meta(admin)
    .output(sourceAlarmsSchema),
  create: route
    .route({ method: 'POST', path, summary: 'Add a source', successStatus: 201 })
    .meta(admin)
    .input(sourceInputSchema)
    .output(sourceSchema),
  try: route
    .route({ method: 'POST', path: `${path}/try`, summary: 'Ask a source, and show what it would bring' })
    .meta(admin)
    .input(tryInputSchema)
    .output(tryResultSchema),
  change: route
    .route({ method: 'PATCH', path: `${path}/{id}`, summary: 'Change a source, or pause it' })
    .meta(admin)
    .input(sourceChangeSchema.extend({ id: rowId }))
    .output(sourceSchema),
  remove: route
    .route({
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Remove a source; its deals stay',
      successStatus: 204,
    })
    .meta(admin)
    .input(idInput),
  run: route
    .route({ method: 'POST', path: `${path}/{id}/run`, summary: 'Ask a source as soon as possible' })
    .meta(admin)
    .input(idInput)
    .output(sourceSchema),
  runs: route
    .route({ method: 'GET', path: `${path}/{id}/runs`, summary: 'When a source was asked, the newest first' })
    .meta(admin)
    .input(z.strictObject({ id: rowId, limit: queryInteger(1, 200).default(50), cursor: rowId.optional() }))
    .output(runPageSchema),
}
