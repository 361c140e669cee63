import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { freePort } from '../../server/src/platform/embedded/embedded-process.ts'
import { startDealdeck } from '../../server/testing/dealdeck-process.ts'
import { isInstalled, proxies, startProxy } from '../../server/testing/proxy.ts'
import { Client } from './client.ts'
import { extent } from './extent.ts'
import { boss } from './installation.ts'
import { ownDatabase } from './own-database.ts'
import { Observations, Witness } from './witness.ts'

const { haproxy } = proxies
const canRun = !extent.isShort && haproxy !== undefined && isInstalled(haproxy)

test.runIf(canRun)(
  'two processes behind HAProxy are restarted one after the other: no request fails, no stream misses anything',
  async () => {
    if (!haproxy) return
    const DATABASE_URL = await ownDatabase()
    const ports = [await freePort(), await freePort()] as const
    const start = (port: number) =>
      startDealdeck({
        ...{ DATABASE_URL, PORT: String(port), DRAIN_SECONDS: '3', LOG_LEVEL: 'fatal' },
        ...{ ADMIN_USERNAME: boss.username, ADMIN_PASSWORD: boss.password },
      })
    const processes = ports.map(start)
    for (const one of processes) await one.address()
    // As the file says: a line for each process in both backends.
    const adapt: typeof haproxy.adapt = (text, place) =>
      haproxy.adapt(text.replaceAll('# server two 127.0.0.1:3001', `server two 127.0.0.1:${ports[1]}`), place)
    const proxy = await startProxy({ ...haproxy, adapt }, ports[0])
    // Its certificate is made for this test.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const client = new Client(`https://127.0.0.1:${proxy.https}`)
    await expect
      .poll(() => client.get('/readyz').then(({ ok }) => ok, String), { timeout: 20_000 })
      .toBe(true)
    await client.signIn(boss)

    const ended = new AbortController()
    const failures: string[] = []
    const counts = { reads: 0, imports: 0 }
    const read = async () => {
      while (!ended.signal.aborted) {
        const answer = await client.get('/api/products?limit=20').catch(String)
        if (typeof answer === 'string' || !answer.ok)
          failures.push(`A page: ${typeof answer === 'string' ? answer : answer.status}`)
        else await answer.arrayBuffer()
        counts.reads += 1
      }
    }
    const write = async () => {
      for (; !ended.signal.aborted; counts.imports++) {
        const asin = `B0R${String(counts.imports).padStart(7, '0')}`
        const outcome = await client.import([{ asin, title: 'Kettle', price: 9, availability: 'In stock' }])
        if (outcome.kind !== 'acknowledged') failures.push(`An import: ${JSON.stringify(outcome)}`)
        await sleep(50)
      }
    }
    const observations = new Observations()
    const witnesses = Array.from({ length: 10 }, () => new Witness(client, observations))
    const running = [
      ...Array.from({ length: 8 }, read),
      write(),
      ...witnesses.map((witness) => witness.run(ended.signal)),
    ]
    await sleep(2_000)
    for (const [at, port] of ports.entries()) {
      processes[at]?.kill('SIGTERM')
      await processes[at]?.ended()
      await start(port).address()
      await sleep(5_000)
    }
    ended.abort()
    await Promise.all(running)
    console.log(
      `${counts.reads} pages and ${counts.imports} imports were asked for, ${failures.length} failed`,
    )
    expect([...failures, ...observations.problems]).toEqual([])
    const revisions = witnesses.map(({ revision }) => revision)
    expect(Math.min(...revisions.map(Number))).toBeGreaterThan(counts.imports - 20)
  },
)
