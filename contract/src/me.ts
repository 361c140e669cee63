import { z } from 'zod'
import { route } from './access.ts'
import { longestFilterCode, plainText, visible } from './filters.ts'
import { rowId } from './query.ts'

/** So many entries of each kind a member has at most. */
export const maximumItems = 100
/** So long the JSON of all entries of a member may be together, in characters. */
export const maximumItemCharacters = 256_000
/** So long the JSON of one entry's value may be, in characters. */
const longestItem = 32_000
export const longestPresetName = 80

const nameNeeded = 'Please enter a name'

/** A name that people read, trimmed, with single spaces. */
export const nameOf = (longest: number) =>
  z
    .string({ error: nameNeeded })
    .transform((text) => text.trim().replace(/\s+/gu, ' '))
    .pipe(
      z
        .string()
        .min(1, nameNeeded)
        .max(longest, `Name must be at most ${longest} characters long`)
        .regex(plainText, 'Name must not contain invisible characters')
        .regex(visible, nameNeeded),
    )

/** A text that the database can keep. */
const textOf = (longest: number) =>
  z
    .string()
    .max(longest, `must be at most ${longest} characters long`)
    .regex(/^[^\0\p{Cs}]*$/u, 'must be valid text')
const texts = z.array(textOf(3_000).min(1, 'must not be empty')).max(2_000)
const amount = String.raw`(\d{1,8}(\.\d{1,2})?)?`

/** A set-up of the link generator, as the address of its screen says it: `price` such as `5..30`, `*` for all filters. */
const presetSearchSchema = z
  .strictObject({
    q: textOf(500).optional(),
    price: z
      .string()
      .regex(new RegExp(String.raw`^${amount}\.\.${amount}$`), 'must be a range such as 5..30')
      .optional(),
    brand: texts.optional(),
    deal: texts.optional(),
    off: texts.optional(),
    in: texts.optional(),
    by: texts.optional(),
    sort: texts.optional(),
    /** Custom filters, each as `name:code`. */
    with: texts.optional(),
  })
  .refine(
    (search) => JSON.stringify(search).length <= longestItem,
    `This set-up is too large to be saved: it must be at most ${longestItem} characters long`,
  )

/** A set-up of the link generator, saved under a name that none of the member's other presets has, whatever its case. */
const linkPresetSchema = z.strictObject({ name: nameOf(longestPresetName), search: presetSearchSchema })

/** A filter of one's own. One read from an address may be called by its code. */
const linkFilterSchema = z.strictObject({
  name: nameOf(longestFilterCode),
  code: textOf(longestFilterCode).trim().min(1, 'Please enter a code'),
})

/** Every kind of entry with its value, and the only list of them; what the server does with a kind stands in its table of kinds. */
const kinds = [
  z.strictObject({ kind: z.literal('link_preset'), value: linkPresetSchema }),
  z.strictObject({ kind: z.literal('link_filter'), value: linkFilterSchema }),
] as const
type Each<Kinds extends readonly z.ZodObject[], Fields extends z.ZodRawShape> = {
  [At in keyof Kinds]: z.ZodObject<Kinds[At]['shape'] & Fields, z.core.$strict>
}

/** The kinds with more fields, the same for each. */
function kindsWith<Fields extends z.ZodRawShape>(fields: Fields): Each<typeof kinds, Fields> {
  // The cast holds: a list that is mapped has as many elements, in their order.
  return kinds.map((kind) => kind.extend(fields)) as unknown as Each<typeof kinds, Fields>
}

/** An entry to be, by kind. */
export const memberItemInputSchema = z.discriminatedUnion('kind', kinds, {
  error: `must be one of ${kinds.map(({ shape }) => shape.kind.value).join(', ')}`,
})
export type MemberItemInput = z.infer<typeof memberItemInputSchema>
export type MemberItemKind = MemberItemInput['kind']

/** An entry of a member, seen by nobody else. */
const memberItemSchema = z.discriminatedUnion('kind', kindsWith({ id: z.number(), updated_at: z.string() }))
export type MemberItem = z.infer<typeof memberItemSchema>

const memberItemListSchema = z.object({
  /** Whose they are, so that a page which shows somebody else notices. */
  user_id: z.number(),
  /** The oldest first. */
  items: z.array(memberItemSchema),
})
export type MemberItemList = z.infer<typeof memberItemListSchema>

/** The `updated_at` that a change was based on: when the entry has another one meanwhile, the change is refused. */
const expected = z.iso.datetime({ error: 'must be the updated_at that was read' }).optional()
const basedOn = { expected_updated_at: expected }
const changeSchema = z.discriminatedUnion('kind', kindsWith({ id: rowId, ...basedOn }))
export type MemberItemChange = z.infer<typeof changeSchema>

export const mergeInputSchema = z.strictObject({
  /** Whose account they are for; when another one is signed in meanwhile, none is added. */
  user_id: rowId.optional(),
  /** Entries as in `POST /api/me/items`; one that doesn't fit keeps no other back. */
  items: z.array(z.unknown()).max(2 * maximumItems, `must be at most ${2 * maximumItems} entries`),
})

const mergeResultSchema = z.object({
  /** What became of each entry, in their order. `known`: it was there already. */
  results: z.array(
    z.object({ result: z.enum(['added', 'known', 'refused']), message: z.string().optional() }),
  ),
})
export type MergeResult = z.infer<typeof mergeResultSchema>

/** Event `me` of the live stream: something of this member's is different now, and is to be fetched again. It has no `id:`. */
export const memberEventSchema = z.object({ changed: z.enum(['items', 'searches']) })

const path = '/api/me/items'

/** What is one member's own. No answer here is cached for, or made from bytes of, anybody else. */
export const meRoutes = {
  list: route
    .route({ method: 'GET', path, summary: 'One’s own entries: presets and filters of the link generator' })
    .meta({ access: 'user' })
    .output(memberItemListSchema),
  create: route
    .route({ method: 'POST', path, summary: 'Add an entry of one’s own', successStatus: 201 })
    .meta({ access: 'user' })
    .input(memberItemInputSchema)
    .output(memberItemSchema),
  merge: route
    .route({
      method: 'POST',
      path: `${path}/merge`,
      summary: 'Add entries kept elsewhere, each once; a preset whose name is taken gets a number',
    })
    .meta({ access: 'user' })
    .input(mergeInputSchema)
    .output(mergeResultSchema),
  update: route
    .route({ method: 'PATCH', path: `${path}/{id}`, summary: 'Replace the value of an entry of one’s own' })
    .meta({ access: 'user' })
    .input(changeSchema)
    .output(memberItemSchema),
  remove: route
    .route({
      method: 'DELETE',
      path: `${path}/{id}`,
      inputStructure: 'detailed',
      summary: 'Remove an entry of one’s own',
      successStatus: 204,
    })
    .meta({ access: 'user' })
    .input(z.object({ params: z.object({ id: rowId }), query: z.strictObject(basedOn).default({}) })),
}
