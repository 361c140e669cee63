import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../testing/app.ts'
import { whenDone } from '../../testing/cleanup.ts'

/** Processes tell each other once a second. */
const toldMs = 2_500

test('a member who keeps one process busy gets half of what one may have at another, and others all of it', async () => {
  // Work in the background asks as well.
  const one = await buildTestApp({ settings: { WORKERS: 'off' } })
  const other = await buildTestApp({ settings: { WORKERS: 'off' }, databases: one.databases })
  const [hostile, honest] = [await one.signIn('user'), await one.signIn('user')]
  const apps = await Promise.all(
    [one, other].map(async ({ app }) => ({ app, origin: await app.listen({ port: 0, host: '127.0.0.1' }) })),
  )
  const over = new AbortController()
  whenDone(async () => over.abort())
  const ask = (at: number, { headers }: typeof hostile) =>
    Array.from({ length: 40 }, () =>
      fetch(`${apps[at]?.origin}/api/blacklisted_words`, {
        headers: { cookie: headers.cookie },
        signal: over.signal,
      }).catch(() => undefined),
    )
  const atWork = async (at: number) => {
    const figures = (await apps[at]?.app.inject('/metrics'))?.body ?? ''
    return ['requests', 'others'].map((gate) =>
      Number(new RegExp(`dealdeck_turns\\{gate="${gate}",state="running"\\} (\\d+)`).exec(figures)?.[1]),
    )
  }
  const holder = await one.databases.durablePool.connect()
  whenDone(async () => void holder.release(true))
  await holder.query('begin; lock table blacklisted_words in access exclusive mode')

  const asked = ask(0, hostile)
  await expect.poll(() => atWork(0)).toEqual([16, 2])
  await sleep(toldMs)
  asked.push(...ask(1, hostile))
  await expect.poll(() => atWork(1)).toEqual([8, 1])
  await sleep(toldMs)
  expect(await atWork(1)).toEqual([8, 1])
  asked.push(...ask(1, honest))
  await expect.poll(() => atWork(1)).toEqual([8 + 16, 1 + 2])
  await holder.query('rollback')
  for (const answer of await Promise.all(asked)) expect(answer?.status).toBe(200)
})
