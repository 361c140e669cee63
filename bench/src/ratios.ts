import { median } from './report.ts'

/** What was measured of this version and of the other. */
export type Sides<T> = [ours: T, theirs: T]

/**
 * What one start found of one thing: milliseconds of each of its times, by name, and of processor time. The name of
 * the only time of a thing is empty.
 */
export type Taken = { name: string; times: Record<string, Sides<number>>; processor: Sides<number> }

/** How this version did, divided by how the other did, over all starts; `sides` are the medians in milliseconds. */
export type Ratio = {
  name: string
  kind: 'time' | 'processor'
  middle: number
  least: number
  greatest: number
  sides: Sides<number>
}

/** The ratios of all that every start has found, in its order: first the times of a thing, then its processor time. */
export function ratiosOf(starts: Taken[][]): Ratio[] {
  const [pattern = []] = starts
  return pattern.flatMap(({ name, times }) => {
    const same = starts.flatMap((taken) => taken.filter((one) => one.name === name))
    return [
      ...Object.keys(times).map((time) =>
        ratioOf(
          time === '' ? name : `${name}: ${time}`,
          'time',
          same.flatMap((one) => {
            const sides = one.times[time]
            return sides ? [sides] : []
          }),
        ),
      ),
      ratioOf(
        `${name}: processor`,
        'processor',
        same.map((one) => one.processor),
      ),
    ]
  })
}

function ratioOf(name: string, kind: Ratio['kind'], starts: Sides<number>[]): Ratio {
  const ratios = starts.map(([ours, theirs]) => ours / theirs)
  return {
    ...{ name, kind, middle: median(ratios), least: Math.min(...ratios), greatest: Math.max(...ratios) },
    sides: [median(starts.map(([ours]) => ours)), median(starts.map(([, theirs]) => theirs))],
  }
}

/** From the least to the greatest ratio. */
export function widthOf(ratios: Pick<Ratio, 'least' | 'greatest'>[]): string {
  const least = Math.min(...ratios.map((ratio) => ratio.least))
  const greatest = Math.max(...ratios.map((ratio) => ratio.greatest))
  return `${least.toFixed(2)}–${greatest.toFixed(2)}`
}
