import type pg from 'pg'
import type { NewMatch } from '../../deliveries/actions.ts'
import { holdOf, initialPeace, type PeaceTimes } from '../peace/peace-rules.ts'
import type { KnownAlert } from './known-alerts.ts'
import { isUrgent, type OpenEpisode, type Plan, type Urgency } from './planning.ts'

type Post = Pick<Plan['posts'][number], 'destinationId' | 'dealId' | 'price' | 'off'> & {
  episodeId: number
  /** How many messages of its own the episode has; null: a new one. */
  episode: Pick<OpenEpisode, 'posts'> | null
  alerts: readonly (Urgency & Pick<KnownAlert, 'id' | 'mode'>)[]
}

/** What is known of a destination whose peace is asked for. */
type Known = {
  id: number
  peace: PeaceTimes | undefined
  sent: number[]
  burstUntil: Date | null
  hourUntil: Date | null
}

const reading = `
  select d.id, p.id is not null as has_peace, p.time_zone, p.quiet_from, p.quiet_to, p.most_an_hour, p.most_at_once, p.digest_at,
    p.digest_weekday, p.paused_until,
    array(
      select extract(epoch from at)::float8 * 1000 from (
        select coalesce(sent_at, created_at) as at from deliveries y
        where y.destination_id = d.id and y.kind in ('deal', 'list', 'digest') and y.state not in ('held', 'skipped')
        order by y.id desc limit coalesce(p.most_an_hour, ${initialPeace.most_an_hour})
      ) newest where at > now() - interval '1 hour' order by at
    ) as sent,
    (select min(next_at) from deliveries y where y.destination_id = d.id and y.state = 'held' and y.kind = 'list'
      and y.next_at between now() and now() + interval '30 seconds') as burst_until,
    (select min(next_at) from deliveries y where y.destination_id = d.id and y.state = 'held' and y.kind = 'list'
      and y.next_at > now() and y.collected_for = 'hour') as hour_until
  from destinations d left join peace p on p.user_id is not distinct from d.owner_id
  where d.id = any($1)`

type Row = PeaceTimes & {
  id: number
  has_peace: boolean
  sent: number[]
  burst_until: Date | null
  hour_until: Date | null
}

/** What is queued of posts: at once, or as one of a list where the owner of the destination wants peace. */
export async function holdMatches(
  client: pg.ClientBase,
  posts: readonly Post[],
  now: Date,
): Promise<NewMatch[]> {
  if (posts.length === 0) return []
  const { rows } = await client.query<Row>(reading, [[...new Set(posts.map((post) => post.destinationId))]])
  const known = new Map(
    rows.map(({ id, has_peace, sent, burst_until, hour_until, ...peace }): [number, Known] => [
      id,
      { id, sent, burstUntil: burst_until, hourUntil: hour_until, peace: has_peace ? peace : undefined },
    ]),
  )
  const found = await countFound(client, posts)
  return posts.map((post) => {
    const { destinationId, dealId, episodeId, episode, alerts, price, off } = post
    const urgent = alerts.some((alert) => isUrgent(alert, price, off))
    const modes = alerts.map(({ mode }) => mode)
    const to = known.get(destinationId)
    const hold = holdOf(to?.peace, {
      ...{ now, isUrgent: urgent, sentLastHour: to?.sent ?? [] },
      ...{ burstUntil: to?.burstUntil ?? null, hourUntil: to?.hourUntil ?? null },
      // Of several alerts that find it, the one that tells soonest.
      mode: modes.find((mode) => mode === 'now') ?? modes.find((mode) => mode === 'daily') ?? 'weekly',
      sameSearchLastMinute: Math.min(...alerts.map(({ id }) => found.get(id) ?? 0)),
    })
    if (!hold) to?.sent.push(now.getTime())
    const alertIds = alerts.map(({ id }) => id)
    return {
      ...{ destinationId, dealId, episodeId, price },
      post: (episode?.posts ?? 0) + 1,
      alertIds,
      isUrgent: urgent,
      hold,
    }
  })
}

/** How many deals each alert has found within a minute, with these. */
async function countFound(client: pg.ClientBase, posts: readonly Post[]): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const { alerts } of posts) for (const { id } of alerts) counts.set(id, (counts.get(id) ?? 0) + 1)
  const { rows } = await client.query<{ alert_id: number; count: number }>(
    `select alert_id, count(*)::int as count from alert_matches
     where matched_at > now() - interval '1 minute' and alert_id = any($1) group by alert_id`,
    [[...counts.keys()]],
  )
  for (const { alert_id, count } of rows) counts.set(alert_id, count + (counts.get(alert_id) ?? 0))
  return counts
}
