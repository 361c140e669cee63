import type { Peace } from '@dealdeck/contract/alerts'
import { plainNumber } from '../../../platform/typed-number.ts'

/** What the form holds, as it was typed. */
export type PeaceDraft = {
  isQuiet: boolean
  quiet_from: string
  quiet_to: string
  time_zone: string
  follows_device: boolean
  most_an_hour: string
  most_at_once: string
  digest_at: string
  digest_weekday: string
}

/** What a form begins with. A group has no device to follow: its times are those of the zone that was chosen. */
export function draftOf(peace: Peace, isGroup: boolean): PeaceDraft {
  return {
    isQuiet: peace.quiet_from !== null && peace.quiet_to !== null,
    quiet_from: peace.quiet_from ?? '22:00',
    quiet_to: peace.quiet_to ?? '07:00',
    time_zone: peace.time_zone,
    follows_device: !isGroup && peace.follows_device,
    most_an_hour: String(peace.most_an_hour),
    most_at_once: String(peace.most_at_once),
    digest_at: peace.digest_at,
    digest_weekday: String(peace.digest_weekday),
  }
}

const isClock = (text: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)

/** What is wrong with a form, by field. */
export function problemsOf(draft: PeaceDraft): Partial<Record<keyof PeaceDraft, string>> {
  const problems: Partial<Record<keyof PeaceDraft, string>> = {}
  if (draft.isQuiet) {
    for (const name of ['quiet_from', 'quiet_to'] as const)
      if (!isClock(draft[name])) problems[name] = 'A time such as 22:30'
    if (draft.quiet_from === draft.quiet_to) problems.quiet_to = 'Another time than the first'
  }
  if (!isClock(draft.digest_at)) problems.digest_at = 'A time such as 08:00'
  const counts = [
    ['most_an_hour', 1_000],
    ['most_at_once', 100],
  ] as const
  for (const [name, most] of counts) {
    const count = Number(plainNumber(draft[name]))
    if (!Number.isInteger(count) || count < 1 || count > most) problems[name] = `From 1 to ${most}`
  }
  return problems
}

/**
 * What of a form without problems is to be saved: what is another than it is by now, since other devices change it too. `here`: the zone of
 * this device. The ends of quiet hours go together, and so do the zone and whose it is.
 */
export function changeOf(draft: PeaceDraft, peace: Peace, here: string): Partial<Peace> {
  const hours = {
    quiet_from: draft.isQuiet ? draft.quiet_from : null,
    quiet_to: draft.isQuiet ? draft.quiet_to : null,
  }
  const clock = {
    follows_device: draft.follows_device,
    time_zone: draft.follows_device ? here : draft.time_zone,
  }
  const parts: Partial<Peace>[] = [
    hours,
    clock,
    { most_an_hour: Number(plainNumber(draft.most_an_hour)) },
    { most_at_once: Number(plainNumber(draft.most_at_once)) },
    { digest_at: draft.digest_at },
    { digest_weekday: Number(draft.digest_weekday) },
  ]
  const isOther = (part: Partial<Peace>) => JSON.stringify({ ...peace, ...part }) !== JSON.stringify(peace)
  return Object.assign({}, ...parts.filter(isOther))
}

/** The days of the week by their numbers, 1 being Monday. */
export function weekdays(locale: string): { value: string; label: string }[] {
  const format = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  // The first of January 2024 was a Monday.
  return [1, 2, 3, 4, 5, 6, 7].map((day) => ({
    value: String(day),
    label: format.format(Date.UTC(2024, 0, day)),
  }))
}

/** The zones to choose from, with the one that is set and the device's whatever the browser lists. */
export function zonesWith(...zones: readonly string[]): { value: string; label: string }[] {
  const all = [...new Set([...zones, ...Intl.supportedValuesOf('timeZone'), 'UTC'])].sort()
  return all.map((value) => ({ value, label: value.replaceAll('_', ' ') }))
}
