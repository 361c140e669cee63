import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { buildApp } from '../server/src/app.ts'
import { insertDefaultFilters } from '../server/src/features/filters/actions.ts'
import { hashToken } from '../server/src/platform/accounts/sessions.ts'
import { systemClock } from '../server/src/platform/clock.ts'
import { type Databases, openDatabases } from '../server/src/platform/database/database.ts'
import { migrate } from '../server/src/platform/database/migrations.ts'
import type { OpenApiDocument } from '../server/src/platform/http/docs-page.ts'
import { SecretBox } from '../server/src/platform/secret-box.ts'
import { readSettings } from '../server/src/platform/settings.ts'
import { startTestCluster } from '../server/testing/cluster.ts'
import { makeDeal, makeUser } from '../server/testing/factories.ts'
import { startProxy } from './sqlmap/proxy.ts'
import { type MarkedRequest, markedRequests } from './sqlmap/requests.ts'

// Tries SQL injection with sqlmap on every parameter, field and path of every route, against a database of its own.
// Words given on the command line choose routes: `npm run test:sqlmap -- users`.
const secondsPerRoute = 1_500
const folder = await mkdtemp(join(tmpdir(), 'dealdeck-sqlmap-'))

async function sessionOf(databases: Databases, userId: number): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const expires_at = new Date(Date.now() + 86_400_000)
  await databases.durableDb
    .insertInto('sessions')
    .values({ token_hash: hashToken(token), user_id: userId, expires_at })
    .execute()
  return token
}

/** The status of a request as it is before sqlmap changes anything: only behind one that is taken lies SQL. */
async function plainStatus(port: number, { text: request }: MarkedRequest): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  const plain = request.replaceAll('*', '')
  const [head = '', body = ''] = plain.split('\r\n\r\n')
  socket.write(`${head}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  const answer = await text(socket)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
}

type Finding = { name: string; verdict: 'safe' | 'injectable' | 'unfinished'; output: string }

async function tryRequest({ name, text: request }: MarkedRequest, index: number): Promise<Finding> {
  const file = join(folder, `${index}.txt`)
  await writeFile(file, request)
  const options = [
    '--batch',
    '--ignore-stdin',
    '--disable-coloring',
    '--flush-session',
    '--ignore-code=*',
    '--retries=0',
  ]
  const depth = ['--dbms=PostgreSQL', '--level=3', '--risk=3', '--time-sec=2', '--timeout=20']
  const child = spawn(
    'sqlmap',
    ['-r', file, '--output-dir', join(folder, String(index)), ...options, ...depth],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const tooLong = setTimeout(() => child.kill(), secondsPerRoute * 1000)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  clearTimeout(tooLong)
  const isFound = /identified the following injection point/.test(output)
  const isTried = /all tested parameters do not appear to be injectable/.test(output)
  return { name, verdict: isFound ? 'injectable' : code === 0 && isTried ? 'safe' : 'unfinished', output }
}

const cluster = await startTestCluster()
await migrate(cluster.url)
const databases = openDatabases(cluster.url, () => {})
const settings = readSettings({ SAMPLE_DEALS: 'off' })
const app = await buildApp({
  ...{ settings, databases, clock: systemClock, log: pino({ level: 'error' }) },
  secretBox: new SecretBox(settings),
})
await app.listen({ host: '127.0.0.1', port: 0 })
// A listening TCP server has an address and a port; the type also covers pipes.
const proxy = await startProxy((app.server.address() as AddressInfo).port, databases.customPlanPool)
let failed = false
try {
  const admin = await makeUser(databases, { username: 'admin', role: 'admin' })
  await makeUser(databases, { username: 'somebody' })
  await insertDefaultFilters(databases, 'amazon.com')
  for (let count = 0; count < 30; count++) await makeDeal(databases)
  const document: OpenApiDocument = (await app.inject('/api/openapi.json')).json()
  const tokens = await Promise.all(Array.from({ length: 100 }, () => sessionOf(databases, admin.id)))
  const host = `127.0.0.1:${proxy.port}`
  const wanted = process.argv.slice(2)
  const requests = markedRequests(document, host, () => tokens.pop() ?? '')
    .filter(({ marks }) => marks > 0)
    .filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
  const canary = {
    name: 'GET /canary',
    text: `GET /canary?id=1* HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    marks: 1,
  }
  const { verdict, output } = await tryRequest(canary, 0)
  if (verdict !== 'injectable') {
    throw new Error(`sqlmap does not find what is injectable on purpose:\n${output}`)
  }
  const queue = requests.entries()
  const worker = async () => {
    for (const [index, request] of queue) {
      const before = performance.now()
      const status = await plainStatus(proxy.port, request)
      const finding = await tryRequest(request, index + 1)
      const seconds = Math.round((performance.now() - before) / 1000)
      console.log(
        `${finding.verdict.padEnd(10)} ${request.name} (${request.marks} places, ${seconds} s, plainly answered ${status})`,
      )
      if (finding.verdict === 'safe') continue
      failed = true
      console.log(finding.output.split('\n').slice(-40).join('\n'))
    }
  }
  await Promise.all([worker(), worker()])
  const counted = [...proxy.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `${status}: ${times}`)
  console.log(`Answers by status: ${counted.join(', ')}`)
  if (proxy.failures.length > 0) {
    failed = true
    console.log(`Answered as faults of the server:\n${proxy.failures.slice(0, 20).join('\n')}`)
  }
} finally {
  proxy.close()
  await app.close()
  await databases.close()
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
