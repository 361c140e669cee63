import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { type LoadSource, MemberGate, type Turn } from './member-gate.ts'

/** Until all turns there are have been taken: each is given in the next round of the event loop. */
async function tick() {
  for (let rounds = 0; rounds < 3; rounds++) await nextRound()
}

const limits = { name: 'test', total: 4, perMember: 2, queue: 3 }

/** Asks for turns by member and notes the order in which they are given. */
function asker(gate: MemberGate) {
  const given: string[] = []
  const turns: Turn[] = []
  const ask = async (member: string, signal?: AbortSignal) => {
    const turn = await gate.enter(member, signal)
    given.push(member)
    turns.push(turn)
    return turn
  }
  return { given, turns, ask }
}

test('a member with many requests has a few at work, waits with some, and is refused beyond', async () => {
  const gate = new MemberGate(limits)
  const { given, ask } = asker(gate)
  const asked = Array.from({ length: 5 }, () => ask('a'))
  await tick()
  expect(given).toEqual(['a', 'a'])
  expect(gate.figures).toEqual({ running: 2, waiting: 3 })
  await expect(ask('a')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfter: 2 })
  for (const one of asked.slice(0, 2)) (await one).end()
  await tick()
  expect(given).toHaveLength(4)
})

test('another member comes next, whatever waits already', async () => {
  const gate = new MemberGate({ ...limits, total: 2 })
  const { given, turns, ask } = asker(gate)
  for (let at = 0; at < 5; at++) void ask('a')
  for (let at = 0; at < 2; at++) void ask('b')
  await tick()
  expect(given).toEqual(['a', 'a'])
  for (let at = 0; at < 4; at++) {
    turns[at]?.end()
    await tick()
  }
  expect(given.slice(2)).toEqual(['a', 'b', 'a', 'b'])
})

test('who has many waiting rests after each turn, and others go on meanwhile', async () => {
  const gate = new MemberGate({ ...limits, total: 1, perMember: 1, queue: 6, restMs: 50 })
  const { given, turns, ask } = asker(gate)
  for (let at = 0; at < 6; at++) void ask('a')
  await tick()
  turns[0]?.end()
  await tick()
  expect(given).toEqual(['a'])
  void ask('b')
  await tick()
  expect(given).toEqual(['a', 'b'])
  turns[1]?.end()
  await vi.waitFor(() => expect(given).toEqual(['a', 'b', 'a']))
  // With few waiting nobody rests.
  turns[2]?.end()
  await tick()
  expect(given).toEqual(['a', 'b', 'a', 'a'])
})

test('who ends a turn may say how long its member rests, and others go on meanwhile', async () => {
  const gate = new MemberGate({ ...limits, total: 1, perMember: 1 })
  const { given, turns, ask } = asker(gate)
  for (const member of ['a', 'a', 'b']) void ask(member)
  await tick()
  turns[0]?.end(50)
  await tick()
  expect(given).toEqual(['a', 'b'])
  turns[1]?.end()
  await tick()
  expect(given).toEqual(['a', 'b'])
  await vi.waitFor(() => expect(given).toEqual(['a', 'b', 'a']))
})

test('who leaves while waiting leaves no trace', async () => {
  const gate = new MemberGate(limits)
  const { turns, ask } = asker(gate)
  for (let at = 0; at < 2; at++) void ask('a')
  const hangsUp = new AbortController()
  const left = ask('a', hangsUp.signal)
  await tick()
  hangsUp.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await expect(ask('a', hangsUp.signal)).rejects.toThrow('gone')
  for (const turn of turns) {
    turn.end()
    turn.end()
  }
  expect(gate.figures).toEqual({ running: 0, waiting: 0 })
})

test('work done makes room for others, but not for its member before the turn ends', async () => {
  const gate = new MemberGate({ ...limits, total: 2 })
  const { given, turns, ask } = asker(gate)
  for (let at = 0; at < 3; at++) void ask('a')
  void ask('b')
  await tick()
  turns[0]?.worked()
  await tick()
  expect(given).toEqual(['a', 'a', 'b'])
  turns[0]?.end()
  await tick()
  expect(given).toEqual(['a', 'a', 'b'])
  turns[2]?.end()
  await tick()
  expect(given).toEqual(['a', 'a', 'b', 'a'])
})

test('what a member has under way elsewhere counts, but one always gets in', async () => {
  const sources: LoadSource[] = []
  let elsewhere = 1
  const peers = {
    elsewhere: () => elsewhere,
    otherProcesses: () => 1,
    watch: (_: string, source: LoadSource) => void sources.push(source),
  }
  const told = () => sources.map((source) => [...source()])
  const gate = new MemberGate(limits, peers)
  const { given, turns, ask } = asker(gate)
  for (let at = 0; at < 3; at++) void ask('a')
  await tick()
  expect(given).toEqual(['a'])
  expect(told()).toEqual([[['a', 1]]])
  elsewhere = 7
  turns[0]?.end()
  await tick()
  expect(given).toEqual(['a', 'a'])
  void ask('b')
  await tick()
  expect(given).toEqual(['a', 'a', 'b'])
  // Nobody need know of those who may have more.
  elsewhere = 0
  expect(told()).toEqual([[]])
})

test('a turn is awaited by whoever comes in when it ends, and by nobody else', async () => {
  const gate = new MemberGate({ ...limits, total: 3 })
  const { ask } = asker(gate)
  for (let at = 0; at < 3; at++) void ask('a')
  await tick()
  // There is room; the third waits for its own member's turns.
  expect(gate.isAwaited('b')).toBe(false)
  void ask('b')
  await tick()
  expect([gate.isAwaited('a'), gate.isAwaited('b')]).toEqual([false, false])
  void ask('c')
  await tick()
  expect([gate.isAwaited('a'), gate.isAwaited('b'), gate.isAwaited('c')]).toEqual([true, true, false])
})

test('a turn given to somebody who leaves at that moment goes to the next', async () => {
  const gate = new MemberGate({ ...limits, total: 1 })
  const { given, turns, ask } = asker(gate)
  await ask('a')
  const hangsUp = new AbortController()
  const left = ask('b', hangsUp.signal)
  void ask('c')
  turns[0]?.end()
  // Its turn has been given and comes in the next round of the event loop.
  hangsUp.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await tick()
  expect(given).toEqual(['a', 'c'])
})
