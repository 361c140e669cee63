import type { SourceAlarms } from '@dealdeck/contract/sources'

export type Alarm = { name: string; text: string; search: { source?: string } }

/** The line about sources that need somebody; undefined where all of them were put off for the day. */
export function alarmOf(silent: SourceAlarms['silent'], putOff: readonly number[]): Alarm | undefined {
  const [first, ...others] = silent.filter(({ id }) => !putOff.includes(id))
  if (first === undefined) return undefined
  if (others.length === 0) return { name: first.name, text: first.text, search: { source: String(first.id) } }
  const names = [first, ...others].slice(0, 3).map(({ name }) => name)
  const rest = others.length + 1 - names.length
  const listed = `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return { name: `${others.length + 1} sources need you:`, text: listed, search: {} }
}

/** Of which sources nothing is to be said any more on this day, as the device keeps it. */
export function readPutOff(stored: unknown, now: Date): number[] {
  const { day, ids }: { day?: unknown; ids?: unknown } = Object(stored)
  if (day !== now.toDateString() || !Array.isArray(ids)) return []
  return ids.filter((id): id is number => typeof id === 'number')
}
