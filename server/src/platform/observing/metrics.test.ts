import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeDeal, makeUser, nextAsin, testPassword } from '../../../testing/factories.ts'
import { MemberGate } from '../limits/member-gate.ts'
import { Metrics } from './metrics.ts'

const { app, databases, signIn } = await buildTestApp()
await app.listen({ host: '127.0.0.1', port: 0 })
// A listening TCP server has an address and a port; the type also covers pipes.
const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

const scrape = async (of = origin) => (await fetch(`${of}/metrics`)).text()
const figure = (text: string, sample: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.slice(sample.length),
  )
/** How much a sample grows while something is done. */
async function growth(sample: string, act: () => Promise<unknown>): Promise<number> {
  const before = figure(await scrape(), sample)
  await act()
  return figure(await scrape(), sample) - before
}

const families = {
  http_request_duration_seconds: 'histogram',
  dealdeck_sign_ins_total: 'counter',
  dealdeck_deliveries_due: 'gauge',
  dealdeck_deliveries_sending: 'gauge',
  dealdeck_deliveries_total: 'counter',
  dealdeck_delivery_oldest_due_seconds: 'gauge',
  dealdeck_source_oldest_due_seconds: 'gauge',
  dealdeck_source_rows_held_total: 'counter',
  dealdeck_source_runs_total: 'counter',
  dealdeck_source_seconds_total: 'counter',
  dealdeck_sources_failing: 'gauge',
  dealdeck_sources_running: 'gauge',
  dealdeck_sources_silent: 'gauge',
  dealdeck_imports_total: 'counter',
  dealdeck_import_rows_total: 'counter',
  dealdeck_import_duration_seconds: 'histogram',
  dealdeck_imports_running: 'gauge',
  dealdeck_open_streams: 'gauge',
  dealdeck_streams_opened_total: 'counter',
  dealdeck_streams_dropped_total: 'counter',
  dealdeck_turns: 'gauge',
  dealdeck_feed_revision: 'gauge',
  dealdeck_live_bus_connected: 'gauge',
  dealdeck_database_away: 'gauge',
  dealdeck_database_read_only: 'gauge',
  dealdeck_database_commits_unconfirmed_total: 'counter',
  dealdeck_database_commits_waiting: 'gauge',
  dealdeck_database_connections: 'gauge',
  dealdeck_database_connections_limit: 'gauge',
  dealdeck_database_waiting: 'gauge',
  dealdeck_search_deals: 'gauge',
  dealdeck_searches_total: 'counter',
  dealdeck_feed_cache_requests_total: 'counter',
  dealdeck_feed_cache_bytes: 'gauge',
  dealdeck_jobs_running: 'gauge',
  dealdeck_jobs_due: 'gauge',
  dealdeck_jobs_total: 'counter',
  dealdeck_job_seconds_total: 'counter',
  dealdeck_job_last_done_timestamp_seconds: 'gauge',
  dealdeck_last_heartbeat_timestamp_seconds: 'gauge',
  dealdeck_follower_lag_revisions: 'gauge',
  dealdeck_follower_lag_seconds: 'gauge',
}

/** The families of a text with their type; throws at a line that is not Prometheus text. */
function parse(text: string): Map<string, string> {
  const types = new Map<string, string>()
  let helped = ''
  expect(text.endsWith('\n')).toBe(true)
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const help = /^# HELP ([a-z]\w*) \S.*$/.exec(line)
    const type = /^# TYPE ([a-z]\w*) (counter|gauge|histogram|summary)$/.exec(line)
    const sample =
      /^([a-z]\w*)(\{(\w+="([^"\\\n]|\\.)*",?)+\})? (-?\d+(\.\d+)?(e[+-]?\d+)?|[+-]Inf|Nan)$/.exec(line)
    if (help?.[1]) helped = help[1]
    else if (type?.[1] && type[2]) {
      expect([type[1], types.has(type[1])]).toEqual([helped, false])
      types.set(type[1], type[2])
    } else {
      const name = sample?.[1] ?? `not a sample: ${line}`
      const family = types.get(helped) === 'histogram' ? name.replace(/_(bucket|sum|count)$/, '') : name
      expect(family).toBe(helped)
    }
  }
  return types
}

test('the text is what Prometheus reads, with every figure that is promised and its type', async () => {
  const { headers } = await signIn('user')
  await app.inject({ url: '/api/products', headers })
  const answer = await fetch(`${origin}/metrics`)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const found = parse(await answer.text())
  expect(Object.fromEntries([...found].filter(([name]) => /^(dealdeck|http)_/.test(name)))).toEqual(families)
  expect(found.get('nodejs_eventloop_lag_p99_seconds')).toBe('gauge')
})

test('the turns of every gate are told', async () => {
  const gates = [...(await scrape()).matchAll(/^dealdeck_turns\{gate="([\w-]+)",state="waiting"/gm)]
  expect(gates.map(([, gate]) => gate).toSorted()).toEqual(
    'bodies delivery-tries feeds hashes imports known-sign-ins links lookups others own-changes pages previews requests searches sign-ins source-imports token-lookups tries views'.split(
      ' ',
    ),
  )
})

test('promtool finds nothing to improve in our own figures', async (context) => {
  const { error, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await scrape(),
    encoding: 'utf8',
  })
  if (error) return context.skip('promtool (of the package prometheus) is not installed')
  // The library's own names are not ours to choose.
  expect(stderr.split('\n').filter((line) => /^(dealdeck|http)_|parsing/.test(line))).toEqual([])
})

test('every figure an alarm of deploy/alerts.yml asks for is one of these', async () => {
  const rules = readFileSync(new URL('../../../../deploy/alerts.yml', import.meta.url), 'utf8')
  const asked = [...rules.matchAll(/\b((?:dealdeck|http|nodejs|process)_\w+)/g)].map(([name]) => name)
  expect(asked.length).toBeGreaterThan(5)
  const text = await scrape()
  // Of followers there are none, so only their family is there.
  for (const name of asked)
    expect(text).toMatch(new RegExp(`^${name.includes('_follower_') ? '# TYPE ' : ''}${name}[ {]`, 'm'))
})

test.each([
  ['ok', testPassword],
  ['wrong', 'not the password'],
])('a sign-in counts as %s, without its name', async (outcome, password) => {
  const { username } = await makeUser(databases)
  const payload = { username, password }
  const grown = await growth(`dealdeck_sign_ins_total{outcome="${outcome}"}`, () =>
    app.inject({ method: 'POST', url: '/api/session', payload }),
  )
  expect(grown).toBe(1)
  expect(await scrape()).not.toContain(username)
})

test('a sign-in that waits for approval and one too many are counted as such', async () => {
  const { username } = await makeUser(databases, { status: 'pending' })
  const enter = (password: string) =>
    app.inject({ method: 'POST', url: '/api/session', payload: { username, password } })
  expect(await growth('dealdeck_sign_ins_total{outcome="pending"}', () => enter(testPassword))).toBe(1)
  const tries = () => Promise.all(Array.from({ length: 12 }, () => enter('not the password')))
  expect(await growth('dealdeck_sign_ins_total{outcome="throttled"}', tries)).toBe(2)
})

test('a sign-in given up while it waits is none, and one for which there is no room is not failed', async () => {
  // Without work in the background, which would ask for connections too.
  const serving = await buildTestApp({ settings: { WORKERS: 'off' } })
  const other = await serving.app.listen({ host: '127.0.0.1', port: 0 })
  const payload = JSON.stringify({ username: 'nobody', password: testPassword })
  // From where nobody has signed in: strangers wait for each other.
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' }
  const enter = (signal?: AbortSignal) =>
    fetch(`${other}/api/session`, {
      ...{ method: 'POST', headers, body: payload },
      ...(signal && { signal }),
    }).catch(() => undefined)
  const connect = vi.spyOn(serving.databases.reservedPool, 'connect')
  const entered = vi.spyOn(MemberGate.prototype, 'enter')
  // What there is no room for is in the log as a failure of ours.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => void vi.restoreAllMocks())
  const { promise: noRoom, reject } = Promise.withResolvers<never>()
  connect.mockImplementation(() => noRoom)
  const leaves = new AbortController()
  const before = await scrape(other)
  const tries = [enter(), enter()]
  await vi.waitUntil(() => connect.mock.calls.length === 2)
  for (let at = 0; at < 2; at++) void enter(leaves.signal)
  // Those before had no need to wait.
  await vi.waitUntil(() => entered.mock.calls.length === 2)
  leaves.abort()
  await vi.waitUntil(() => entered.mock.settledResults.filter(({ type }) => type === 'rejected').length === 2)
  connect.mockRestore()
  reject(new Error('timeout exceeded when trying to connect'))
  await Promise.all(tries)
  // Takes as long as those that were given up before it began.
  await enter()
  const after = await scrape(other)
  const grown = ['unavailable', 'failed', 'wrong'].map((outcome) => {
    const sample = `dealdeck_sign_ins_total{outcome="${outcome}"}`
    return figure(after, sample) - figure(before, sample)
  })
  expect(grown).toEqual([2, 0, 1])
})

test('imports are counted with their rows; a rehearsal has none, and what can not be read is refused', async () => {
  const { headers } = await signIn('admin')
  const payload = `asin,title,price\n${nextAsin()},Lamp,9.99\n${nextAsin()},Vase,4.50\nnonsense,Bowl,3\n`
  const hand = (text: string, query = '') =>
    app.inject({
      method: 'POST',
      url: `/api/products/import${query}`,
      headers: { ...headers, 'content-type': 'text/csv' },
      payload: text,
    })
  const rows = 'dealdeck_import_rows_total'
  expect(await growth(`${rows}{outcome="created"}`, () => hand(payload, '?dry_run=true'))).toBe(0)
  expect(await growth(`${rows}{outcome="created"}`, () => hand(payload))).toBe(2)
  expect(await growth(`${rows}{outcome="rejected"}`, () => hand(payload))).toBe(1)
  expect(await growth(`${rows}{outcome="unchanged"}`, () => hand(payload))).toBe(2)
  expect(await growth('dealdeck_imports_total{outcome="refused"}', () => hand('{"not": "rows'))).toBe(1)
  const text = await scrape()
  expect(figure(text, 'dealdeck_imports_total{outcome="done"}')).toBe(4)
  expect(figure(text, 'dealdeck_import_duration_seconds_count')).toBe(5)
  expect(figure(text, 'dealdeck_imports_running')).toBe(0)
})

test('pages of the feed count as kept or made, and the revision moves with a change', async () => {
  await makeDeal(databases)
  const { headers } = await signIn('user')
  const ask = () => app.inject({ url: '/api/products?limit=7', headers })
  const pages = 'dealdeck_feed_cache_requests_total'
  // A page asked for once isn't kept.
  expect(await growth(`${pages}{outcome="miss"}`, ask)).toBe(1)
  expect(await growth(`${pages}{outcome="miss"}`, ask)).toBe(1)
  expect(await growth(`${pages}{outcome="hit"}`, ask)).toBe(1)
  expect(figure(await scrape(), 'dealdeck_feed_cache_bytes')).toBeGreaterThan(100)
  const admin = await signIn('admin')
  const hand = () =>
    app.inject({
      method: 'POST',
      url: '/api/products/import?availability=In%20stock',
      headers: { ...admin.headers, 'content-type': 'text/csv' },
      payload: `asin,title,price\n${nextAsin()},Jar,9.99\n`,
    })
  expect(await growth('dealdeck_feed_revision', hand)).toBe(1)
})

test('open streams, connections, and the last heartbeat are there', async () => {
  const { headers } = await signIn('user')
  const ended = new AbortController()
  const { signal } = ended
  const before = figure(await scrape(), 'dealdeck_open_streams')
  await fetch(`${origin}/api/products/events`, { headers: { cookie: headers.cookie }, signal })
  const open = async () => figure(await scrape(), 'dealdeck_open_streams')
  expect(await open()).toBe(before + 1)
  ended.abort()
  await expect.poll(open).toBe(before)
  const text = await scrape()
  expect(figure(text, 'dealdeck_database_away')).toBe(0)
  expect(figure(text, 'dealdeck_live_bus_connected')).toBe(1)
  expect(figure(text, 'dealdeck_database_connections_limit{pool="read"}')).toBe(12)
  expect(figure(text, 'dealdeck_database_connections_limit{pool="page"}')).toBe(6)
  expect(figure(text, 'dealdeck_database_connections{pool="read",state="idle"}')).toBeGreaterThan(0)
  const last = async () => figure(await scrape(), 'dealdeck_last_heartbeat_timestamp_seconds')
  await expect.poll(last).toBeGreaterThan(Date.now() / 1000 - 120)
})

test('each kind of job has its figures, and a process that only serves has none', async () => {
  const done = async () => figure(await scrape(), 'dealdeck_jobs_total{kind="heartbeat",outcome="done"}')
  await expect.poll(done).toBeGreaterThan(0)
  const text = await scrape()
  for (const kind of ['session-sweep', 'event-pruning'])
    for (const name of ['running', 'due'])
      expect(figure(text, `dealdeck_jobs_${name}{kind="${kind}"}`)).toBe(0)
  expect(figure(text, 'dealdeck_job_seconds_total{kind="heartbeat"}')).toBeGreaterThan(0)
  expect(figure(text, 'dealdeck_job_last_done_timestamp_seconds{kind="session-sweep"}')).toBe(0)
  const serving = await buildTestApp({ settings: { WORKERS: 'off' } })
  await serving.app.listen({ host: '127.0.0.1', port: 0 })
  const { body } = await serving.app.inject({ url: '/metrics', headers: { host: 'localhost' } })
  expect(body).toContain('dealdeck_database_away 0')
  expect(body).not.toMatch(/dealdeck_(job|last_heartbeat)/)
  await serving.app.close()
  const queues = await serving.databases.customPlanPool.query('select from dealdeck_jobs.queue')
  expect(queues.rowCount).toBe(0)
})

test('each follower has its lag until it has ended', async () => {
  const metrics = new Metrics()
  let followers = [{ name: 'judge', revisions: 3, seconds: 90.5 }]
  metrics.watchJobs({ figures: () => [], lastHeartbeat: () => undefined, followers: () => followers })
  const text = await metrics.text()
  expect(figure(text, 'dealdeck_follower_lag_revisions{follower="judge"}')).toBe(3)
  expect(figure(text, 'dealdeck_follower_lag_seconds{follower="judge"}')).toBe(90.5)
  followers = []
  expect(await metrics.text()).not.toContain('judge')
})
