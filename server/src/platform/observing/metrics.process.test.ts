import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { freePort } from '../../../testing/proxy.ts'

const METRICS_TOKEN = 'a-token-of-some-length'
const rules = fileURLToPath(new URL('../../../../deploy/alerts.yml', import.meta.url))

/** What Prometheus's API tells, as far as it is asked here. */
type Told = {
  activeTargets?: { health: string }[]
  result?: { value: [number, string] }[]
  groups?: { rules: { name: string; query: string; lastError?: string }[] }[]
}

/** A Prometheus that scrapes `target` every second; the address of its API. */
async function startPrometheus(target: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dealdeck-prometheus-'))
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [
      {
        job_name: 'dealdeck',
        authorization: { credentials_file: join(folder, 'token') },
        static_configs: [{ targets: [target] }],
      },
    ],
  }
  await writeFile(join(folder, 'token'), METRICS_TOKEN)
  // JSON is YAML too.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${address}`,
    ],
    { stdio: 'ignore' },
  )
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  return `http://${address}/api/v1`
}

test('a real Prometheus reads the figures with the token, and the alarms', async (context) => {
  if (spawnSync('prometheus', ['--version']).error) return context.skip('prometheus is not installed')
  const { app, signIn } = await buildTestApp({ settings: { METRICS_TOKEN } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  // A listening TCP server has an address and a port; the type also covers pipes.
  const { port } = app.server.address() as AddressInfo
  const { headers } = await signIn('user')
  const authorization = `Bearer ${METRICS_TOKEN}`
  let asked = 0
  // Pages are kept from when the process hears of changes, which may be a moment after its start.
  const askForPage = async () => {
    asked += 1
    expect((await app.inject({ url: '/api/products', headers })).statusCode).toBe(200)
    return (await app.inject({ url: '/metrics', headers: { authorization } })).body
  }
  await expect.poll(askForPage).toContain('dealdeck_feed_cache_requests_total{outcome="miss"} 1')
  const api = await startPrometheus(`127.0.0.1:${port}`)
  const get = async (path: string) => {
    const answer = await fetch(`${api}/${path}`).catch(() => undefined)
    // As Prometheus describes its own answers.
    return answer?.ok ? ((await answer.json()) as { data: Told }).data : undefined
  }
  const value = async (query: string) =>
    (await get(`query?query=${encodeURIComponent(query)}`))?.result?.[0]?.value?.[1]

  const waiting = { timeout: 60_000, interval: 200 }
  await expect.poll(async () => (await get('targets'))?.activeTargets?.[0]?.health, waiting).toBe('up')
  await expect.poll(() => value('up{job="dealdeck"}'), waiting).toBe('1')
  expect(await value('dealdeck_database_away')).toBe('0')
  expect(await value('dealdeck_feed_cache_requests_total{outcome="miss"}')).toBe('1')
  expect(await value('http_request_duration_seconds_count{route="/api/products",status="200"}')).toBe(
    String(asked),
  )
  expect(await value('dealdeck_database_connections_limit{pool="write"}')).toBe('4')

  const alarms = (await get('rules'))?.groups?.flatMap((group) => group.rules) ?? []
  expect(alarms.length).toBeGreaterThan(5)
  expect(alarms.filter(({ lastError }) => lastError)).toEqual([])
  // What each shows is held against what the newest shows: labels that don't match are no error, and silence it for ever.
  const behind = alarms.find(({ name }) => name === 'DealdeckBehind')?.query ?? ''
  expect(behind).toMatch(/ > 100$/)
  expect(await value(behind.replace(/ > 100$/, ''))).toBe('0')
})
