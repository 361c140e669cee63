import type { Databases } from '../../../platform/database/database.ts'
import { withDealWrites } from '../../deals/actions.ts'
import { markPosted } from '../../deals/writing/posting.ts'

/** Deals marked in one transaction. */
const markedAtOnce = 500

/** So long after it was posted a deal is still marked, in hours: longer than the processes that do it are ever away. */
const markedHours = 24

type Post = { dealId: number; postedAt: Date }

/** Deals that were posted to a Discord channel of the group, and don't say so yet. */
export async function findGroupPosts({ customPlanPool }: Databases): Promise<Post[]> {
  const { rows } = await customPlanPool.query<Post>(
    `select deals.id as "dealId", max(d.sent_at) as "postedAt"
     from destinations t join deliveries d on d.destination_id = t.id and d.kind in ('deal', 'list', 'digest')
       cross join lateral jsonb_array_elements(d.content -> 'deals') as told
       join deals on deals.id = (told ->> 'id')::bigint
     where t.kind = 'discord' and t.owner_id is null and t.last_sent_at > now() - interval '${markedHours} hours'
       and d.sent_at > now() - interval '${markedHours} hours'
       and (not deals.posted_to_discord or deals.discord_timestamp is null or deals.discord_timestamp < d.sent_at)
     group by deals.id limit ${markedAtOnce}`,
  )
  return rows
}

/** Has them say so, so that the sort of what was posted is true. */
export async function markGroupPosts(databases: Databases, signal: AbortSignal): Promise<void> {
  for (let isLeft = true; isLeft && !signal.aborted; ) {
    const posts = await findGroupPosts(databases)
    if (posts.length > 0) await withDealWrites(databases, (writes) => markPosted(writes, posts))
    isLeft = posts.length === markedAtOnce
  }
}
