import { eventsPath } from '@dealdeck/contract/events'
import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../../testing/app.ts'
import { listening, openStream } from '../../../testing/streams.ts'

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
