import { longestQuestion } from '@dealdeck/query/limits'
import { z } from 'zod'
import { route } from './access.ts'
import { dealSortSchema, timeZone } from './deals.ts'
import { nameOf } from './me.ts'
import { rowId } from './query.ts'

/** So many saved searches a member has at most, and so many stand for the group in all, of one member fewer. */
export const mostSearches = 200
export const mostShared = 200
export const mostSharedByMember = 40
export const longestSearchName = 80
/** Of more deals new to a member than these the number is not said. */
export const mostNew = 99
/** So many addresses of feeds a member has at most, over all searches. */
export const mostFeeds = 100
/** How often the address of one feed is answered in an hour. */
export const feedRequestsAnHour = 60

const question = z.string().trim().max(longestQuestion, `must be at most ${longestQuestion} characters long`)

/** A question under a name, of one member or of the group. */
const savedSearchSchema = z.object({
  id: z.number(),
  name: z.string(),
  /** The question in the one form that it is printed in, without its sort. */
  q: z.string(),
  /** Null: as the list is sorted anyway. */
  sort: dealSortSchema.nullable(),
  /** Whether everybody has it. */
  is_shared: z.boolean(),
  /** The username of the member whose it is. */
  owner: z.string(),
  is_mine: z.boolean(),
  /** Whether it stands above this member's deals. */
  is_in_row: z.boolean(),
  /** How many deals have come that this member has not seen in it, at most 99; null where that is not counted (now). */
  new_count: z.number().nullable(),
  /** Whether there are more of them than were counted. */
  has_more_new: z.boolean(),
  updated_at: z.string(),
})
export type SavedSearch = z.infer<typeof savedSearchSchema>

const savedSearchListSchema = z.object({
  /** Whose list it is, so that a page which shows somebody else notices. */
  user_id: z.number(),
  /** The member's own and the group's, in the member's order. */
  items: z.array(savedSearchSchema),
})

const searchInputSchema = z.strictObject({
  name: nameOf(longestSearchName),
  q: question,
  sort: dealSortSchema.nullable().default(null),
  is_shared: z.boolean({ error: 'must be true or false' }).default(false),
})
export type SearchInput = z.infer<typeof searchInputSchema>

const searchChangeSchema = z.strictObject({
  name: searchInputSchema.shape.name.optional(),
  q: question.optional(),
  sort: dealSortSchema.nullable().optional(),
  is_shared: z.boolean({ error: 'must be true or false' }).optional(),
  /** The `updated_at` that the change was based on: when it is another one meanwhile, the change is refused. */
  expected_updated_at: z.iso.datetime({ error: 'must be the updated_at that was read' }).optional(),
})
export type SearchChange = z.infer<typeof searchChangeSchema>

const rowInputSchema = z.strictObject({
  items: z
    .array(z.strictObject({ id: z.int().min(1), is_in_row: z.boolean() }))
    .max(mostSearches + mostShared, `must be at most ${mostSearches + mostShared} searches`),
})
export type RowInput = z.infer<typeof rowInputSchema>

/** `deals`: an entry a deal. `events`: an entry each time that a deal costs less than ever. */
const feedKindSchema = z.enum(['deals', 'events'], { error: 'must be deals or events' })
export type FeedKind = z.infer<typeof feedKindSchema>

/** An address at which other programs read a search, without the address. */
const searchFeedSchema = z.object({
  id: z.number(),
  kind: feedKindSchema,
  created_at: z.string(),
  /** When it was read last; null: never. */
  last_used_at: z.string().nullable(),
})
export type SearchFeed = z.infer<typeof searchFeedSchema>

/** Said once; the address works with `.atom`, `.rss` or `.json` behind it. */
const newFeedSchema = searchFeedSchema.extend({ url: z.string() })

const path = '/api/searches'
const idInput = z.strictObject({ id: rowId })
const user = { access: 'user' } as const

/** Saved searches. No answer here is cached for, or made from bytes of, anybody else. */
export const searchRoutes = {
  list: route
    .route({ method: 'GET', path, summary: 'Saved searches, one’s own and the group’s' })
    .meta(user)
    .input(
      z.strictObject({
        /** Where `today` begins in a question; UTC unless given. */
        time_zone: timeZone.default('UTC'),
      }),
    )
    .output(savedSearchListSchema),
  create: route
    .route({ method: 'POST', path, summary: 'Save a search', successStatus: 201 })
    .meta(user)
    .input(searchInputSchema)
    .output(savedSearchSchema),
  arrange: route
    .route({
      method: 'PUT',
      path: `${path}/row`,
      summary: 'Say in which order one’s searches stand, and which of them above the deals',
      successStatus: 204,
    })
    .meta(user)
    .input(rowInputSchema),
  update: route
    .route({
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: 'Change a search; of somebody else’s a changed copy becomes one’s own, and is the answer',
    })
    .meta(user)
    .input(idInput.extend(searchChangeSchema.shape))
    .output(savedSearchSchema),
  remove: route
    .route({
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Remove a search; for a day it can be brought back',
      successStatus: 204,
    })
    .meta(user)
    .input(idInput),
  restore: route
    .route({ method: 'POST', path: `${path}/{id}/restore`, summary: 'Bring back a search that was removed' })
    .meta(user)
    .input(idInput)
    .output(savedSearchSchema),
  open: route
    .route({
      method: 'POST',
      path: `${path}/{id}/opened`,
      summary: 'Say that one has seen what is in a search now',
      successStatus: 204,
    })
    .meta(user)
    .input(idInput),
  listFeeds: route
    .route({ method: 'GET', path: `${path}/{id}/feeds`, summary: 'One’s own feeds of a search' })
    .meta(user)
    .input(idInput)
    .output(z.array(searchFeedSchema)),
  createFeed: route
    .route({
      method: 'POST',
      path: `${path}/{id}/feeds`,
      summary: 'Make a secret address at which other programs read a search',
      successStatus: 201,
    })
    .meta(user)
    .input(idInput.extend({ kind: feedKindSchema }))
    .output(newFeedSchema),
  removeFeed: route
    .route({
      method: 'DELETE',
      path: `${path}/{id}/feeds/{feed_id}`,
      summary: 'Make the address of a feed worthless at once',
      successStatus: 204,
    })
    .meta(user)
    .input(z.strictObject({ id: rowId, feed_id: rowId })),
}
