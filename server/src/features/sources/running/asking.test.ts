import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { systemClock } from '../../../platform/clock.ts'
import { HostTurns } from '../../../platform/outgoing/host-turns.ts'
import { makeSafeFetch } from '../../../platform/outgoing/make-safe-fetch.ts'
import { askInTurn } from './asking.ts'

const databases = await testDatabases()
const limits = { packedBytes: 1_000, bytes: 1_000 }

/** Three names of one server: `a` and `b` lead on to `c`, or to each other where the path says so; `c` is asked to wait. */
async function serve() {
  const seen = { atOnce: 0, most: 0, asked: 0 }
  const server = createServer(async ({ headers: { host = '' }, url = '' }, response) => {
    const port = host.split(':')[1]
    const to = url.startsWith('/to-') ? url.slice(4) : undefined
    if (to !== undefined) return response.writeHead(302, { location: `http://${to}:${port}/` }).end()
    seen.asked += 1
    seen.atOnce += 1
    seen.most = Math.max(seen.most, seen.atOnce)
    await sleep(200)
    seen.atOnce -= 1
    const isFull = host.startsWith('full')
    response.writeHead(isFull ? 429 : 200, isFull ? { 'retry-after': '900' } : {}).end('done')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  const ask = (url: string) => {
    const safeFetch = makeSafeFetch({
      allow: [],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      reach: () => ({ isPublic: true, isAllowed: true }),
    })
    // Each as in a process of its own.
    return askInTurn(
      safeFetch,
      new HostTurns(databases.reservedPool),
      systemClock,
    )(url, { limits, pauseMs: 100 })
  }
  const read = async (name: string, path: string) => {
    const response = await ask(`http://${name}:${port}${path}`)
    for await (const _ of response.body);
    return response.status
  }
  return { seen, read }
}

test('a host that redirects lead to is asked by one at a time too', async () => {
  const { seen, read } = await serve()
  const paths = [read('a.test', '/to-c.test'), read('b.test', '/to-c.test'), read('c.test', '/')]
  expect(await Promise.all(paths)).toEqual([200, 200, 200])
  expect(seen).toEqual({ asked: 3, atOnce: 0, most: 1 })
})

test('two that are led to each other’s hosts don’t wait for each other', async () => {
  const { read } = await serve()
  const began = performance.now()
  expect(await Promise.all([read('one.test', '/to-two.test'), read('two.test', '/to-one.test')])).toEqual([
    200, 200,
  ])
  expect(performance.now() - began).toBeLessThan(10_000)
})

test('whoever asks to be left alone is the one that said so, not who led there', async () => {
  const { read } = await serve()
  expect(await read('leading.test', '/to-full.test')).toBe(429)
  const quiet = async (host: string) => {
    const { rows } = await databases.reservedPool.query<{ seconds: number }>(
      'select extract(epoch from next_at - now()) as seconds from request_hosts where host = $1',
      [host],
    )
    return Number(rows[0]?.seconds)
  }
  await expect.poll(() => quiet('full.test')).toBeGreaterThan(800)
  expect(await quiet('leading.test')).toBeLessThan(5)
})
