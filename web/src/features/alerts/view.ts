import type { Alert, AlertExpectation, AlertOptions, Peace } from '@dealdeck/contract/alerts'
import type { Destination } from '@dealdeck/contract/deliveries'
import type { PriceFigures } from '@dealdeck/contract/prices'
import { plainNumber } from '../../platform/typed-number.ts'

type Numbers = (value: number) => string

/** How much an alert brings, in words: '12 match now, about 3 a day'. */
export function expectationText(expected: AlertExpectation, number: Numbers): string {
  const { matching, has_more } = expected
  const now = has_more ? `more than ${number(matching)} match` : matchText(matching, number)
  return `${now} now, ${rateText(expected, number)}`
}

const matchText = (count: number, number: Numbers) =>
  count === 0 ? 'none match' : count === 1 ? '1 matches' : `${number(count)} match`

function rateText({ per_day, days }: AlertExpectation, number: Numbers): string {
  if (per_day === null) return 'how many a day is not known yet'
  if (per_day === 0)
    return days === 1 ? 'none came in the last day' : `none came in the last ${number(days)} days`
  if (per_day >= 1) return `about ${number(Math.round(per_day))} a day`
  const perWeek = Math.round(per_day * 7)
  return perWeek <= 1 ? 'about 1 a week' : `about ${number(perWeek)} a week`
}

/** Destinations of one's own that something can be sent to, those that work first. */
export function usable(destinations: readonly Destination[], isGroup = false): Destination[] {
  const own = destinations.filter(({ is_group, state }) => is_group === isGroup && state !== 'gone')
  return [...own.filter(({ state }) => state === 'ok'), ...own.filter(({ state }) => state !== 'ok')]
}

/** Where something goes unless its owner says otherwise: where the newest of their alerts goes, or else the first. */
export function defaultDestination(
  destinations: readonly Destination[],
  alerts: readonly Alert[],
): Destination | undefined {
  const places = usable(destinations)
  const newest = alerts
    .filter(({ is_group, destination_id }) => !is_group && places.some(({ id }) => id === destination_id))
    .toSorted((a, b) => b.id - a.id)[0]
  return places.find(({ id }) => id === newest?.destination_id) ?? places[0]
}

/** The alerts of a search: one's own, or the group's. */
export const alertsOf = (alerts: readonly Alert[], searchId: number, isGroup = false): Alert[] =>
  alerts.filter(({ search_id, is_group }) => search_id === searchId && is_group === isGroup)

/** The target price of a deal, if there is one. */
export const targetOf = (alerts: readonly Alert[], dealId: number): Alert | undefined =>
  alerts.find(({ deal_id, is_group }) => deal_id === dealId && !is_group)

/** What is not as it is by default, in words. */
export function optionTexts(options: AlertOptions, money: Numbers, percent: Numbers): string[] {
  const { mode, again_percent, urgent_off, urgent_below } = options
  const urgent = [
    urgent_off !== null && `from ${percent(urgent_off)} off`,
    urgent_below !== null && `below ${money(urgent_below)}`,
  ].filter((part) => part !== false)
  return [
    ...(mode === 'now' ? [] : [`a ${mode} list`]),
    ...(again_percent === 5 ? [] : [`again after a fall of ${percent(again_percent)}`]),
    ...(urgent.length > 0 ? [`urgent ${urgent.join(' or ')}`] : []),
  ]
}

/** When nothing comes, in words; undefined: it comes at any time. `now` in milliseconds. */
export function peaceText(
  peace: Peace,
  now: number,
  exactTime: (time: string) => string,
): string | undefined {
  const { quiet_from, quiet_to, paused_until } = peace
  if (paused_until !== null && Date.parse(paused_until) > now)
    return `nothing until ${exactTime(paused_until)}`
  return quiet_from === null || quiet_to === null ? undefined : `not between ${quiet_from} and ${quiet_to}`
}

/** A price to wait for, and why it is one. */
export type Suggestion = { amount: number; label: string }

/** Prices to wait for below the one of now: what it has cost before, where that is known, and a twentieth less. The best first. */
export function suggestTargets(
  price: number,
  figures: Pick<PriceFigures, 'typical' | 'low_90'> | undefined,
): Suggestion[] {
  const candidates: Suggestion[] = [
    ...(figures?.low_90 ? [{ amount: figures.low_90.price, label: 'lowest in 90 days' }] : []),
    ...(figures?.typical ? [{ amount: figures.typical, label: 'typical price' }] : []),
    { amount: Math.floor(price * 95) / 100, label: '5 % less' },
  ]
  const below = candidates.filter(({ amount }) => amount < price && amount >= 0.01)
  return below.filter(({ amount }, at) => below.findIndex((other) => other.amount === amount) === at)
}

/** Steps that somebody would go down by, in the smallest unit of the currency. */
const steps = [1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000]

/** A round price about a tenth below the one of now; undefined: there is none. `decimals` is how many the currency has. */
export function proposedTarget(price: number, decimals: number): number | undefined {
  const unit = 10 ** decimals
  const less = Math.floor((Math.round(price * unit) * 9) / 10)
  const step = steps.findLast((each) => each * 20 <= less) ?? 1
  const amount = (Math.floor(less / step) * step) / unit
  return amount > 0 ? amount : undefined
}

/** An amount as somebody types it; null: nothing, undefined: no amount. */
export function parseAmount(text: string): number | null | undefined {
  const plain = plainNumber(text.trim().replace(/^\D{1,3}(?=\d)/, ''))
  if (plain === '') return null
  const amount = Number(plain)
  return Number.isFinite(amount) && amount >= 0.01 && amount <= 99_999_999
    ? Math.round(amount * 100) / 100
    : undefined
}

/** A stored amount as a field has it: a script may have sent more decimals than anybody types. */
export const shownAmount = (amount: number | null): string =>
  amount === null ? '' : String(Math.round(amount * 100) / 100)

/** What goes to a destination: 'Watches, Lamps and 2 prices'. */
export function toldOfText(alerts: readonly Alert[], destinationId: number, number: Numbers): string {
  const own = alerts.filter(({ destination_id }) => destination_id === destinationId)
  const names = own.filter(({ deal_id }) => deal_id === null).map(({ name }) => name)
  const prices = own.length - names.length
  const [shown, more] = [names.slice(0, 3), names.length - 3]
  const parts = [
    ...shown,
    ...(more > 0 ? [`${number(more)} more`] : []),
    ...(prices > 0 ? [prices === 1 ? '1 price you wait for' : `${number(prices)} prices you wait for`] : []),
  ]
  if (parts.length === 0) return 'Nothing goes here yet.'
  return parts.length === 1 ? `${parts[0]}` : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

type Change = { submittedAt: number; error: Error | null }

/** What the last of these changes met, if anything: an earlier one may have failed before it. */
export function lastError(changes: readonly Change[]): Error | null {
  return changes.toSorted((a, b) => b.submittedAt - a.submittedAt)[0]?.error ?? null
}
