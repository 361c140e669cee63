import { z } from 'zod'
import { route } from './access.ts'
import { importFields } from './import-fields.ts'
import { queryBoolean, queryInteger, rowId } from './query.ts'

export const importFieldSchema = z.enum(importFields)
export type ImportField = z.infer<typeof importFieldSchema>

export const importQuerySchema = z.strictObject({
  dry_run: queryBoolean.default(false),
  /** Corrections of the recognised columns: `price=colname,title=other`; an empty name leaves a field unfilled. */
  map: z.string().max(4000).default(''),
  /** The availability of rows that state none. Without it such deals are stored but stay hidden. */
  availability: z.string().trim().max(200).default(''),
  /** The encoding of a text that isn't UTF-8, by its name on the web, such as `shift_jis`. Without it, it is recognised or the body refused. */
  encoding: z.string().trim().max(40).default(''),
  /** Where the list lies in a JSON document, such as `$.deals.items`. Without it, the list with the most products is taken. */
  list_path: z.string().trim().max(300).default(''),
  /** `hide`: this body lists everything, and deals it leaves out are hidden until they are listed again. */
  missing: z.enum(['keep', 'hide']).default('keep'),
  /** `none`: what this body says may not be kept as history. Its deals are stored, without a price point. */
  history: z.enum(['keep', 'none']).default('keep'),
  /** Without it an import that would hide more than half of all deals is refused, and nothing is hidden that a refused row may list. */
  confirm: queryBoolean.default(false),
  /** What the file is called, for the history. */
  file: z
    .string()
    .max(1000)
    .default('')
    .transform((name) => name.replace(/[\p{Cc}\p{Cs}]/gu, '').trim()),
})
export type ImportQuery = z.infer<typeof importQuerySchema>

const readingNames = { map: true, availability: true, encoding: true, list_path: true } as const
/** How a body is to be understood, without storing anything of it. */
export const previewQuerySchema = importQuerySchema.pick(readingNames)

const importRejectSchema = z.object({
  /** 1 is the first data row (a CSV's header is not counted). */
  row: z.number(),
  asin: z.string().nullable(),
  reason: z.string(),
})
export type ImportReject = z.infer<typeof importRejectSchema>

/** Deals that a list of everything leaves out. */
const importMissingSchema = z.object({
  hidden: z.number(),
  /** How many deals everybody could see before. */
  visible: z.number(),
  /** Whether nothing is hidden without `confirm=true`. */
  needs_confirmation: z.boolean(),
  /** Why it takes that, in plain sentences: more than half of all would go, or it isn't sure that all of them are left out. */
  reason: z.string().nullable(),
  /** The newest twenty of them. */
  examples: z.array(z.object({ id: z.number(), asin: z.string(), title: z.string() })),
})
export type ImportMissing = z.infer<typeof importMissingSchema>

export const importResultSchema = z.object({
  received: z.number(),
  created: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  /** The first 10,000 at most; `rejected_total` counts all. */
  rejected: z.array(importRejectSchema),
  rejected_total: z.number(),
  /** How many rows were refused for each reason. */
  rejected_by_reason: z.record(z.string(), z.number()),
  /** Rows overtaken by a later row of the same ASIN in the same body. */
  superseded: z.number(),
  /** Deals of this body that nobody sees because they state no availability. */
  hidden_without_availability: z.number(),
  /** Deals of this body that nobody sees because they are over: past their end, or in a state that says so. */
  hidden_over: z.number(),
  /** What `missing=hide` has hidden, or would hide; null without it. */
  missing: importMissingSchema.nullable(),
  /** Which column fills which field. */
  mapping: z.partialRecord(importFieldSchema, z.string()),
  /** What was decided beyond the mapping, in plain sentences. */
  notes: z.array(z.string()),
  dry_run: z.boolean(),
})
export type ImportResult = z.infer<typeof importResultSchema>

export const importPreviewSchema = z.object({
  format: z.enum(['csv', 'ndjson', 'json']),
  columns: z.array(z.string()),
  mapping: z.partialRecord(importFieldSchema, z.string()),
  /** What was decided beyond the mapping, in plain sentences. */
  notes: z.array(z.string()),
  /** How many rows were read, and how many of these would be refused, for each reason. */
  received: z.number(),
  rejected_total: z.number(),
  rejected_by_reason: z.record(z.string(), z.number()),
  /** How many would wait for a person, for each reason: of a source what it states in another currency, or of another marketplace. */
  held_total: z.number(),
  held_by_reason: z.record(z.string(), z.number()),
  /** Some rows, accepted ones first: their cells as text by column, and what they would become or why they are refused. */
  rows: z.array(
    z.object({
      row: z.number(),
      cells: z.record(z.string(), z.string()),
      /** A deal, a row that waits for a person, one that another row of its item stands for, or one that is refused. */
      fate: z.enum(['deal', 'held', 'left_out', 'refused']),
      /** Of a row that waits what it would become; null for what is left out or refused. */
      deal: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable(),
      /** Why it is no deal, or what it is taken for all the same. */
      reason: z.string().nullable(),
    }),
  ),
})
export type ImportPreview = z.infer<typeof importPreviewSchema>

/** One finished import of the history. Times in ISO 8601 UTC. */
const importRecordSchema = z.object({
  id: z.number(),
  /** The file's name, or 'http'. */
  source: z.string(),
  /** An administrator, a token or the command line, as it was called then. */
  handed_in_by: z.string(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
  received: z.number(),
  created: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  /** Rows overtaken by a later row of the same ASIN in the same body. */
  superseded: z.number(),
  rejected: z.number(),
  /** Deals hidden because the import lists everything and left them out. */
  missing_hidden: z.number(),
  /** Whether the prices it saw are kept as history. */
  keeps_history: z.boolean(),
})
export type ImportRecord = z.infer<typeof importRecordSchema>

const importHistorySchema = z.object({
  items: z.array(importRecordSchema),
  next_cursor: z.string().nullable(),
})
export type ImportHistory = z.infer<typeof importHistorySchema>

/** Of the newest 200 imports that refused rows, and of the newest 10 of each source, the first 1,000 of these each. */
const importRejectsSchema = z.object({
  rejected: z.array(importRejectSchema),
  rejected_by_reason: z.record(z.string(), z.number()),
})
export type ImportRejects = z.infer<typeof importRejectsSchema>

/** So many tokens an installation may have to make another one: all stand in one list, as none should work unseen. */
export const mostTokens = 500

const ingestTokenSchema = z.object({
  id: z.number(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
})
export type IngestToken = z.infer<typeof ingestTokenSchema>

export const ingestRoutes = {
  listTokens: route
    .route({ method: 'GET', path: '/api/ingest_tokens', summary: 'Import tokens' })
    .meta({ access: 'admin' })
    .output(z.array(ingestTokenSchema)),
  createToken: route
    .route({
      method: 'POST',
      path: '/api/ingest_tokens',
      summary: 'Create an import token',
      successStatus: 201,
    })
    .meta({ access: 'admin' })
    .input(
      z.strictObject({
        name: z
          .string({ error: 'Please enter a name' })
          .trim()
          .min(1, 'Please enter a name')
          .max(100, 'Name must be at most 100 characters long')
          .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Name must not contain invisible characters'),
      }),
    )
    .output(ingestTokenSchema.extend({ token: z.string() })),
  removeToken: route
    .route({
      method: 'DELETE',
      path: '/api/ingest_tokens/{id}',
      summary: 'Revoke an import token',
      successStatus: 204,
    })
    .meta({ access: 'admin' })
    .input(z.object({ id: rowId })),
  listImports: route
    .route({
      method: 'GET',
      path: '/api/imports',
      summary: 'Finished imports that somebody handed in, the newest first',
    })
    .meta({ access: 'admin' })
    .input(z.strictObject({ limit: queryInteger(1, 200).default(50), cursor: rowId.optional() }))
    .output(importHistorySchema),
  listRejects: route
    .route({ method: 'GET', path: '/api/imports/{id}/rejects', summary: 'The rows an import refused' })
    .meta({ access: 'admin' })
    .input(z.object({ id: rowId }))
    .output(importRejectsSchema),
}

/** Body: the rows themselves (JSON array, NDJSON or CSV, also gzip); answered by plain streaming routes. */
export const plainIngestRoutes = {
  import: route
    .route({
      method: 'POST',
      path: '/api/products/import',
      summary: 'Import deals: body is JSON, NDJSON or CSV',
      inputStructure: 'detailed',
    })
    .meta({ access: 'admin_or_token' })
    .input(z.object({ query: importQuerySchema }))
    .output(importResultSchema),
  preview: route
    .route({
      method: 'POST',
      path: '/api/products/import/preview',
      summary: 'How the first rows of a body would be understood',
      inputStructure: 'detailed',
    })
    .meta({ access: 'admin_or_token' })
    .input(z.object({ query: previewQuerySchema }))
    .output(importPreviewSchema),
}
