import { expect, test } from 'vitest'
import type { StreamEvent } from './event-stream.ts'
import { RecentEvents } from './recent-events.ts'

const eventOf = (position: number, bytes = 1): StreamEvent => ({
  position,
  bytes: Buffer.from(`id: e-${position}\nevent: deals\ndata: "${'x'.repeat(bytes)}"\n\n`),
})

/** The numbers of the events after that one; undefined when not all of them are there. */
function after(recent: RecentEvents, position: number): number[] | undefined {
  const missed = recent.after(position)
  if (missed) expect(missed.position).toBe(recent.last)
  return missed && [...missed.bytes.toString().matchAll(/^id: e-(\d+)$/gm)].map(([, id]) => Number(id))
}

test('whoever missed a few is given all of them in order, whoever missed too many nothing', () => {
  const recent = new RecentEvents()
  expect([recent.last, recent.after(0)]).toEqual([null, undefined])
  for (let position = 11; position <= 311; position++) recent.add(eventOf(position))
  expect(recent.last).toBe(311)
  expect(after(recent, 111)).toEqual(Array.from({ length: 200 }, (_, at) => 112 + at))
  expect(after(recent, 309)).toEqual([310, 311])
  expect(after(recent, 311)).toEqual([])
  for (const position of [0, 110, 312, 1_000]) expect(after(recent, position)).toBeUndefined()
})

test('what is kept is shared by all, and the next event is in it', () => {
  const recent = new RecentEvents()
  for (const position of [1, 2, 3]) recent.add(eventOf(position))
  expect(recent.after(1)?.bytes.buffer).toBe(recent.after(2)?.bytes.buffer)
  recent.add(eventOf(4))
  expect(after(recent, 2)).toEqual([3, 4])
})

test('large events count by their bytes', () => {
  const recent = new RecentEvents()
  for (let position = 1; position <= 50; position++) recent.add(eventOf(position, 10_000))
  expect(after(recent, 25)).toHaveLength(25)
  expect(after(recent, 20)).toBeUndefined()
})

test('nobody is given what follows a gap', () => {
  const recent = new RecentEvents()
  for (const position of [1, 2, 5, 6]) recent.add(eventOf(position))
  expect([2, 4, 5].map((position) => after(recent, position))).toEqual([undefined, [5, 6], [6]])
  recent.restart(9)
  expect([recent.last, after(recent, 9), after(recent, 6)]).toEqual([9, [], undefined])
})
