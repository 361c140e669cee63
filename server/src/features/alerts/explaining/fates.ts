import type { Why } from '@dealdeck/contract/alerts'
import type { DeliveryState, DestinationState } from '@dealdeck/contract/deliveries'
import type pg from 'pg'
import { zonedFormats } from '../../../platform/zoned-formats.ts'
import type { AlertRow } from '../keeping/alert-rows.ts'
import { sendingAlerts } from '../matching/known-alerts.ts'
import { toldPrice } from '../matching/told-price.ts'
import { hasFallenBy } from '../rules.ts'

/** What became of a deal because of an alert. */
type Fate = {
  alert: AlertRow
  destination: { state: Exclude<DestinationState, 'paused'>; is_paused: boolean }
  /** The newest message about it at the alert's destination, whichever search found it; one left out only where its episode has no other. */
  message: {
    id: number
    state: DeliveryState
    reason: string
    next_at: Date | null
    sent_at: Date | null
    created_at: Date
  } | null
  /** The lowest price that the alert told of; null where it has not found the deal since it was made. */
  told: number | null
  /** The lowest price that the destination was told of, and how far it must fall for another message; null where none would come. */
  again: { price: number; percent: number } | null
}

type FateRow = {
  id: number
  state: Fate['destination']['state']
  is_paused: boolean
  told: number | null
  again_price: number | null
  again_percent: number | null
} & {
  message:
    | (Omit<NonNullable<Fate['message']>, 'next_at' | 'sent_at' | 'created_at'> & {
        [Name in 'next_at' | 'sent_at' | 'created_at']: string | null
      })
    | null
}

const fatesSql = `
  select a.id, t.state, t.is_paused, m.price as told, (
    select json_build_object('id', d.id, 'state', d.state, 'reason', d.reason, 'next_at', d.next_at,
      'sent_at', d.sent_at, 'created_at', d.created_at)
    from delivery_deals told join deliveries d on d.id = told.delivery_id
    where told.deal_id = $2 and d.destination_id = t.id and d.kind <> 'test'
      and not (d.state = 'skipped' and exists (
        select from delivery_deals other join deliveries y on y.id = other.delivery_id
        where other.episode_id = told.episode_id and y.state <> 'skipped'))
    order by d.id desc limit 1
  ) as message, (
    select ${toldPrice} from delivery_deals l join deliveries d on d.id = l.delivery_id where l.episode_id = e.id
  ) as again_price, (
    select min(a.again_percent) ${sendingAlerts}
      and a.id in (select alert_id from alert_matches where episode_id = e.id and is_matching)
  ) as again_percent
  from alerts a join destinations t on t.id = a.destination_id
  left join alert_matches m on m.alert_id = a.id and m.deal_id = $2
  left join alert_episodes e on e.destination_id = t.id and e.deal_id = $2 and e.closed_at is null where a.id = any($1)`

/** What became of a deal because of each of these alerts, in their order. */
export async function readFates(
  pool: Pick<pg.Pool, 'query'>,
  alerts: readonly AlertRow[],
  dealId: number,
): Promise<Fate[]> {
  if (alerts.length === 0) return []
  const { rows } = await pool.query<FateRow>(fatesSql, [alerts.map(({ id }) => id), dealId])
  return alerts.flatMap((alert) => {
    const row = rows.find(({ id }) => id === alert.id)
    if (!row) return []
    const { state, is_paused, told, again_price: price, again_percent: percent, message } = row
    const time = (text: string | null) => (text === null ? null : new Date(text))
    return {
      ...{ alert, told, destination: { state, is_paused } },
      again: price === null || percent === null ? null : { price, percent },
      message: message && {
        ...message,
        ...{ next_at: time(message.next_at), sent_at: time(message.sent_at) },
        created_at: new Date(message.created_at ?? 0),
      },
    }
  })
}

type Moment = {
  matches: boolean
  price: number
  now: Date
  timeZone: string
  say(amount: number): string
}

/** The same in words. `state` is that of the message, or 'none'. */
export function sayFate(fate: Fate, moment: Moment): Why['deliveries'][number] {
  const { alert, message } = fate
  return {
    ...{ destination_id: alert.destination_id, destination: alert.destination },
    delivery_id: message?.id ?? null,
    state: message?.state ?? 'none',
    reason: message ? messageText(message, fate, moment) : missingText(fate, moment),
    at: (message?.sent_at ?? message?.created_at)?.toISOString() ?? null,
    next_at: message?.next_at?.toISOString() ?? null,
  }
}

function messageText(message: NonNullable<Fate['message']>, fate: Fate, moment: Moment): string {
  const { state, reason, sent_at, created_at } = message
  switch (state) {
    case 'held':
      return reason || 'It waits for its time.'
    case 'queued':
      return reason || 'It is about to be sent.'
    case 'sending':
      return 'It is being sent.'
    case 'skipped':
      return reason || 'It was not sent.'
    case 'dead':
      return reason || 'It could not be sent.'
    case 'sent':
    case 'edited': {
      const told = `You were told of it ${timeText(sent_at ?? created_at, moment.timeZone)}`
      const { again } = fate
      return moment.matches && again && !hasFallenBy(again.price, moment.price, again.percent)
        ? `${told}, and its price has not fallen by ${again.percent} % since.`
        : `${told}.`
    }
  }
}

function missingText({ alert, destination, told }: Fate, { matches }: Moment): string {
  if (!matches) return 'It does not match now, so it was not sent.'
  if (alert.is_paused) return 'It was not sent, as this alert is paused.'
  if (destination.state === 'unconfirmed') return 'It was not sent, as the destination is not confirmed yet.'
  if (destination.state === 'gone') return 'It was not sent, as the destination is there no more.'
  if (destination.is_paused) return 'It was not sent, as the destination is paused.'
  if (told !== null) return 'You were told of it so long ago that the log has forgotten.'
  // Which of these it was isn't written down anywhere.
  return 'It began to match before the alert was made or its search was changed, or in a pause, so it was not sent.'
}

const dayIn = zonedFormats('en-GB', { day: 'numeric', month: 'long' })
const clockIn = zonedFormats('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Such as `on 3 November at 14:20`, in the reader's time zone. */
const timeText = (time: Date, zone: string) =>
  `on ${dayIn(zone).format(time)} at ${clockIn(zone).format(time)}`
