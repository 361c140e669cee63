import { eventsPath } from '@dealdeck/contract/events'
import { afterEach, expect, test, vi } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { listening, openStream } from '../../../testing/streams.ts'
import { relaySearches } from './live.ts'

afterEach(() => void vi.useRealTimers())

/** How often a stream has said so far that searches are different. */
const told = (stream: { text: string }) => stream.text.split('data: {"changed":"searches"}').length - 1

test('a change is told to the member’s devices, and a shared one to everybody, once for many', async () => {
  const instance = await buildTestApp()
  const { app, signIn } = instance
  const port = await listening(instance)
  const [member, other] = [await signIn('user'), await signIn('user')]
  const [own, others] = [
    await openStream(port, member, undefined, eventsPath),
    await openStream(port, other, undefined, eventsPath),
  ]
  const save = (who: SignedIn, name: string, is_shared = false) =>
    app.inject({
      ...{ method: 'POST', url: '/api/searches', headers: who.headers },
      payload: { name, q: 'lamp', is_shared },
    })
  const { id } = (await save(member, 'Mine')).json()
  await expect.poll(() => told(own)).toBe(1)
  await app.inject({ method: 'POST', url: `/api/searches/${id}/opened`, headers: member.headers })
  await expect.poll(() => told(own)).toBe(2)
  expect(told(others)).toBe(0)
  for (const name of ['One', 'Two', 'Three']) await save(member, name, true)
  await expect.poll(() => told(others)).toBeGreaterThan(0)
  expect(told(others)).toBeLessThan(3)
  await expect.poll(() => told(own)).toBeGreaterThan(2)
})

test('whoever changes a shared search all the time has others fetch theirs ever less often, until there is quiet', () => {
  vi.useFakeTimers()
  let change: (payload: string) => void = () => undefined
  let told = 0
  const on = (_: string, heard: typeof change) => {
    change = heard
  }
  const streams = { broadcastEphemeral: () => void told++, sendToMember: () => undefined }
  const relay = relaySearches({ on, onConnect: () => undefined }, streams)
  const toldIn = (seconds: number) => {
    const before = told
    for (let at = 0; at < 2 * seconds; at++) {
      change('')
      vi.advanceTimersByTime(500)
    }
    return told - before
  }
  expect(toldIn(1)).toBe(1)
  expect(toldIn(59)).toBe(4)
  expect(toldIn(300)).toBe(10)
  // The last change is told of as well, and the first one after a while as soon as ever.
  vi.advanceTimersByTime(30_000)
  expect(told).toBe(16)
  vi.advanceTimersByTime(61_000)
  expect(toldIn(1)).toBe(1)
  relay.stop()
})
