import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeSessions, newDeals } from './application.ts'
import { orderOf, take } from './by-turns.ts'
import { ask, dealsPerImport, informAll } from './live.ts'
import type { Version } from './one-version.ts'
import { runWorker, stop } from './processes.ts'
import type { Sides, Taken } from './ratios.ts'

const fewStreams = 200
const few = { turns: 60, warmUp: 10 }
const many = { turns: 15, warmUp: 3 }
/** Before the next event: verdicts, alerts and the index of what one side has stored would be at work in the other one's turn. */
const pauseMs = 1_200

/** How soon streams hear of new deals, with a few of them and then with `streams`. What they hold is measured by `live`: here it would lie in room that all the work before has left. */
export async function takeEvents(sides: Sides<Version>, first: number, streams: number): Promise<Taken[]> {
  const readers: ChildProcess[] = []
  const startReaders = () => {
    const worker = runWorker('stream-readers.ts')
    readers.push(worker)
    return worker
  }
  try {
    const workers: Sides<ChildProcess> = [startReaders(), startReaders()]
    await openOnBoth(sides, workers, first, fewStreams)
    const withFew = await takeTurns(sides, workers, first, fewStreams, few)
    const opening = await openOnBoth(sides, workers, first, streams)
    const withMany = await takeTurns(sides, workers, first, streams, many)
    return [withFew, { ...withMany, times: { ...withMany.times, 'to open one': opening } }]
  } finally {
    await Promise.all(readers.map(stop))
  }
}

/** Opens streams until there are `count` on either side; returns the milliseconds that each further one took. */
async function openOnBoth(
  sides: Sides<Version>,
  workers: Sides<ChildProcess>,
  first: number,
  count: number,
): Promise<Sides<number>> {
  const took: Sides<number> = [0, 0]
  for (const at of orderOf(first)) {
    const { app, databaseUrl } = sides[at]
    const cookies = await makeSessions(databaseUrl, count)
    const begin = performance.now()
    await ask(workers[at], { open: count, url: app.url, cookies })
    took[at] = (performance.now() - begin) / (count - (count > fewStreams ? fewStreams : 0))
  }
  return took
}

function takeTurns(
  sides: Sides<Version>,
  workers: Sides<ChildProcess>,
  first: number,
  streams: number,
  turns: typeof few,
): Promise<Taken> {
  const given = Array.from({ length: turns.turns + turns.warmUp }, () => newDeals(dealsPerImport))
  return take(sides, first, {
    name: `an event of ${dealsPerImport} new deals with ${streams.toLocaleString('en-US')} streams`,
    times: ['request to middle', 'request to last', 'commit to middle', 'commit to last'],
    turns,
    once: async (at, turn) => {
      const { databaseUrl, app, admin } = sides[at]
      await sleep(pauseMs)
      const told = await informAll(databaseUrl, app, workers[at], streams, admin, given[turn])
      const { committed, middle, last } = told
      return [committed + middle, committed + last, middle, last]
    },
  })
}
