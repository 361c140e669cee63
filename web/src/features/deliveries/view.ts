import type {
  Delivery,
  DeliveryState,
  Destination,
  DestinationDescription,
  DestinationKind,
  DestinationState,
} from '@dealdeck/contract/deliveries'

export type Tone = 'good' | 'calm' | 'warning' | 'danger' | 'quiet'

/** A destination's state in a word, and how it is drawn. */
export const stateLabels: Record<DestinationState, string> = {
  ok: 'Works',
  unconfirmed: 'Not confirmed yet',
  failing: 'Fails',
  gone: 'Gone',
  paused: 'Paused',
}

export const stateTones: Record<DestinationState, Tone> = {
  ok: 'good',
  unconfirmed: 'warning',
  failing: 'danger',
  gone: 'danger',
  paused: 'quiet',
}

/** Nothing has shown yet that it works, nor that it doesn't. */
export const isUntried = ({ state, last_sent_at }: Pick<Destination, 'state' | 'last_sent_at'>): boolean =>
  state === 'ok' && last_sent_at === null

/** A message's state in a word, and how it is drawn. */
export const deliveryLabels: Record<DeliveryState, string> = {
  held: 'Waits',
  queued: 'Queued',
  sending: 'On its way',
  sent: 'Sent',
  edited: 'Sent and changed',
  skipped: 'Not sent',
  dead: 'Failed',
}

export const deliveryTones: Record<DeliveryState, Tone> = {
  held: 'calm',
  queued: 'calm',
  sending: 'calm',
  sent: 'good',
  edited: 'good',
  skipped: 'quiet',
  dead: 'danger',
}

/** The states to choose from, the most looked for first. */
export const deliveryStates: readonly DeliveryState[] = [
  ...(['sent', 'edited', 'held', 'queued', 'skipped', 'dead'] as const),
]

/** One's own destinations, or the group's. */
export const ofGroup = (destinations: readonly Destination[], isGroup: boolean): Destination[] =>
  destinations.filter(({ is_group }) => is_group === isGroup)

/** What a message tells of, in a line: the deal's title, or how many deals it lists. */
export function whatOf({ kind, deals, deal_count }: Delivery, number: (value: number) => string): string {
  const [first] = deals
  const count = deal_count === 1 ? '1 deal' : `${number(deal_count)} deals`
  if (kind === 'notice') return 'A note about your destinations'
  if (deal_count === 1 && first && (kind === 'list' || kind === 'digest')) return first.title
  if (kind === 'list') return `A list of ${count}`
  if (kind === 'digest') return `A digest of ${count}`
  if (kind === 'test') return first ? `Test: ${first.title}` : 'A test'
  return first?.title ?? 'A deal that can no longer be seen'
}

/** What is said once a message was sent again: it is on its way, unless something keeps it. First that, as titles are long. */
export const sentAgainText = (sent: Delivery, number: (value: number) => string): string =>
  `${(sent.reason || 'It is sent again.').replace(/\.$/, '')}: ${whatOf(sent, number)}`

/** Whether a message is about one deal, be it that a list or a digest came to no more. */
export const isOfOneDeal = ({ kind, deal_count }: Delivery): boolean =>
  kind === 'deal' || kind === 'test' || (kind !== 'notice' && deal_count === 1)

/** Whether sending it once more makes sense: it was tried to the end, or came to nothing, and there is something left to be told. */
export const mayReplay = ({ kind, state, can_replay }: Delivery): boolean =>
  can_replay && kind !== 'test' && ['sent', 'edited', 'skipped', 'dead'].includes(state)

/** What is done with a message, and when, by day where it isn't today; undefined: nothing will be. */
export function nextText(
  { next_at, state, attempts }: Pick<Delivery, 'next_at' | 'state' | 'attempts'>,
  now: number,
  locale: string,
): string | undefined {
  if (next_at === null) return undefined
  const at = new Date(next_at)
  const done = state === 'sent' || state === 'edited' ? 'changed' : attempts > 0 ? 'tried again' : 'sent'
  if (at.getTime() <= now) return `to be ${done} now`
  const isToday = at.toDateString() === new Date(now).toDateString()
  const format = new Intl.DateTimeFormat(locale, {
    ...(!isToday && { weekday: 'short' as const, month: 'short' as const, day: 'numeric' as const }),
    ...{ hour: 'numeric', minute: '2-digit' },
  })
  return `to be ${done} ${isToday ? 'at' : 'on'} ${format.format(at)}`
}

/** Why it is in its state and how it goes on, as one sentence; the clock is told once, in the reader's own way. */
export function stateText(reason: string, next: string | undefined): string {
  if (next === undefined) return reason
  const text = [reason.replace(/( until \d\d:\d\d)?\.?$/, ''), next].filter(Boolean).join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What a new destination is called until somebody says otherwise. */
export function nameFor(label: string, taken: readonly string[]): string {
  const isTaken = (name: string) => taken.some((other) => other.toLowerCase() === name.toLowerCase())
  const numbered = taken.map((_, at) => `${label} ${at + 2}`)
  return [label, ...numbered].find((name) => !isTaken(name)) ?? label
}

/** What it is that has to be done before anything is sent there; 'nothing': it can be tried. */
export type NextStep = 'link' | 'code' | 'nothing'

/** By what a destination is made sure to be its owner's; one that is linked stays so when its code has run out. */
export const nextStepOf = (
  { state, link }: Destination,
  confirmedBy: DestinationDescription['confirmed_by'] | undefined,
): NextStep =>
  state !== 'unconfirmed' ? 'nothing' : link === null && confirmedBy !== 'link' ? 'code' : 'link'

/** Kinds that are set up on the very device they are for. */
export const isOfDevice = (kind: DestinationKind): boolean => kind === 'webpush'
