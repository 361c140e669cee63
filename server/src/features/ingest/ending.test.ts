import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import pg from 'pg'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildTestApp } from '../../../testing/app.ts'
import { makeToken, nextAsin } from '../../../testing/factories.ts'
import { hashToken } from '../../platform/accounts/sessions.ts'
import { advisoryLocks } from '../../platform/database/lock-register.ts'

const { app, databases, signIn } = await buildTestApp()
const here = { app, origin: await app.listen({ port: 0, host: '127.0.0.1' }) }

type Sender = { request: ClientRequest; answer: Promise<{ status: number; body: Record<string, unknown> }> }

/** Begins an import; its answer is of status 0 when the connection ends without one. */
function send(headers: Record<string, string>, { origin } = here, path = '/api/products/import'): Sender {
  const sender = request(origin + path, { method: 'POST', headers })
  onTestFinished(() => void sender.destroy())
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sender.on('response', resolve)
    sender.on('error', reject)
  })
  const read = answer.then(
    async (response) => {
      const text = (await response.toArray()).join('')
      return { status: response.statusCode ?? 0, body: JSON.parse(text) }
    },
    () => ({ status: 0, body: {} }),
  )
  sender.flushHeaders()
  return { request: sender, answer: read }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const rows = (count: number) =>
  Array.from({ length: count }, () => {
    const asin = nextAsin()
    return `${JSON.stringify({ asin, title: `Folding lantern ${asin}`, price: 12.5, availability: 'In stock' })}\n`
  }).join('')

const figure = async (name: string, on = here) => {
  const text = (await on.app.inject({ url: '/metrics', headers: { host: 'localhost' } })).body
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}
const running = (on = here) => figure('dealdeck_imports_running', on)
const waiting = (on = here) => figure('dealdeck_turns{gate="imports",state="waiting"}', on)
const lent = () => databases.patientPool.totalCount - databases.patientPool.idleCount
const deals = async () =>
  (await databases.customPlanPool.query('select count(*)::int as n from deals')).rows[0].n
/** Statements and transactions of others that are under way in this database. */
async function atWork(): Promise<number> {
  const { rows: found } = await databases.reservedPool.query(
    `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
     and state <> 'idle' and application_name = 'dealdeck'`,
  )
  return found.length
}
/** Everything is as it was before there was an import. */
async function isAtRest(blockers: Sender[] = []): Promise<void> {
  await expect.poll(() => waiting()).toBe(0)
  for (const other of blockers) other.request.destroy()
  await expect.poll(() => running()).toBe(0)
  await expect.poll(lent).toBe(0)
  await expect.poll(atWork).toBe(0)
}

/** Somebody beside the application who lets nothing be written until `release`, or holds another lock. */
async function lockOut(statement = `select pg_advisory_xact_lock(${advisoryLocks.deals.key})`) {
  const client = new pg.Client({ connectionString: databases.url, application_name: 'test' })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`begin; ${statement}`)
  const release = () => client.end()
  onTestFinished(async () => await release())
  return release
}

/** Makes every written deal take a while. */
async function slowDown() {
  await databases.durablePool.query(`create function linger() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.02); return new; end $$;
    create trigger linger before insert on deals for each row execute function linger()`)
  onTestFinished(async () => {
    await databases.durablePool.query('drop trigger linger on deals; drop function linger')
  })
}

/** `blockers`: what is to go on until this import has ended. */
type Begun = Sender & { token: string; blockers?: Sender[] }

/** An import of a token in each of its phases, all of which would last. */
const phases: Record<string, (on?: typeof here) => Promise<Begun>> = {
  'waiting for its turn': async (on) => {
    const token = await makeToken(databases)
    const holders = [send(bearer(token), on), send(bearer(token), on)]
    for (const holder of holders) holder.request.write(rows(1))
    await expect.poll(() => running(on)).toBe(2)
    const sender = send(bearer(token), on)
    sender.request.write(rows(10))
    await expect.poll(() => waiting(on)).toBe(1)
    return { ...sender, token, blockers: holders }
  },
  'reading a few rows': (on) => begun(1_000, on),
  'reading with a connection': async (on) => {
    const sender = await begun(20_000, on)
    await expect.poll(lent).toBe(1)
    return sender
  },
  'waiting for other writers': async (on) => {
    await lockOut()
    return whole(20_000, on)
  },
  'in the middle of a statement': async (on) => {
    await slowDown()
    return whole(2_000, on)
  },
}

async function begun(count: number, on = here) {
  const token = await makeToken(databases)
  const sender = send(bearer(token), on)
  await new Promise((sent) => sender.request.write(rows(count), sent))
  await expect.poll(() => running(on)).toBe(1)
  return { ...sender, token }
}

async function whole(count: number, on = here) {
  const sender = await begun(count, on)
  sender.request.end()
  // The temporary table is there, and the merge is what is left.
  await expect.poll(inMerge).toBe(true)
  return sender
}

async function inMerge(): Promise<boolean> {
  const { rows: found } = await databases.reservedPool.query(
    `select from pg_stat_activity where datname = current_database() and state = 'active'
     and (wait_event_type = 'Lock' or query like 'with%' or wait_event = 'PgSleep')`,
  )
  return found.length > 0
}

describe.each(Object.keys(phases))('an import that is %s', (phase) => {
  const begin = phases[phase]
  if (!begin) throw new Error('There is such a phase')

  test('ends when its sender hangs up, and leaves nothing half-done', async () => {
    const before = await deals()
    const sender = await begin()
    sender.request.destroy()
    await isAtRest(sender.blockers)
    expect(await deals()).toBe(before)
  })

  test('ends with its token, wherever that is removed', async () => {
    const other = await buildTestApp({ databases })
    const { headers } = await other.signIn('admin')
    const before = await deals()
    const sender = await begin()
    const { id } = await databases.db
      .selectFrom('ingest_tokens')
      .where('token_hash', '=', hashToken(sender.token))
      .select('id')
      .executeTakeFirstOrThrow()
    const removal = await other.app.inject({ method: 'DELETE', url: `/api/ingest_tokens/${id}`, headers })
    expect(removal.statusCode).toBe(204)
    expect(await sender.answer).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED', message: expect.stringContaining('token was removed') },
    })
    await isAtRest(sender.blockers)
    expect(await deals()).toBe(before)
  })
})

test.each(['waiting for its turn', 'reading with a connection', 'in the middle of a statement'])(
  'an import that is %s ends with its process, which answers it and is not held up',
  async (phase) => {
    const quiet = await buildTestApp({ databases, log: pino({ level: 'silent' }) })
    const there = { app: quiet.app, origin: await quiet.app.listen({ port: 0, host: '127.0.0.1' }) }
    const before = await deals()
    const sender = await phases[phase]?.(there)
    await quiet.app.close()
    expect(await sender?.answer).toMatchObject({
      status: 503,
      body: { code: 'DATABASE_UNAVAILABLE', message: expect.stringContaining('is being stopped') },
    })
    await isAtRest()
    expect(await deals()).toBe(before)
  },
)

test('an import ends with the session of its administrator, and the log says who it was', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const other = await buildTestApp({ databases, log })
  const there = { app: other.app, origin: await other.app.listen({ port: 0, host: '127.0.0.1' }) }
  const { user, headers } = await other.signIn('admin')
  const own = { ...headers, host: new URL(there.origin).host, origin: there.origin }
  const sender = send(own, there)
  sender.request.write(rows(1_000))
  const preview = send(own, there, '/api/products/import/preview')
  preview.request.write('[')
  await expect.poll(() => running(there)).toBe(1)
  const boss = await signIn('admin')
  await app.inject({
    ...{ method: 'PATCH', url: `/api/users/${user.id}`, headers: boss.headers },
    payload: { is_active: false },
  })
  expect((await sender.answer).body).toMatchObject({ code: 'UNAUTHENTICATED' })
  expect((await preview.answer).body).toMatchObject({ code: 'UNAUTHENTICATED' })
  const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /^import ended/.test(msg))
  expect(told).toMatchObject([{ by: user.id }, { by: user.id }])
})

test('whoever left while it was looked up who they are keeps no place among those who wait', async () => {
  const other = await buildTestApp({ databases })
  const there = { app: other.app, origin: await other.app.listen({ port: 0, host: '127.0.0.1' }) }
  const others = await phases['waiting for its turn']?.(there)
  if (!others) throw new Error('There is such a phase')
  const release = await lockOut('lock table ingest_tokens')
  const asked = once(other.app.server, 'request')
  const sender = send(bearer(others.token), there)
  sender.request.write(rows(1))
  const [{ socket }] = await asked
  sender.request.destroy()
  await once(socket, 'close')
  await release()
  // Asked later, so answered later.
  const preview = send(bearer(others.token), there, '/api/products/import/preview')
  preview.request.end(rows(1))
  expect(await preview.answer).toMatchObject({ status: 200 })
  expect(await waiting(there)).toBe(1)
  for (const { request: held } of [others, ...(others.blockers ?? [])]) held.destroy()
  await expect.poll(() => running(there)).toBe(0)
})

test('of ten imports of one token at once two are at work, six wait, and the rest is refused', async () => {
  const token = await makeToken(databases)
  const senders = Array.from({ length: 10 }, () => send(bearer(token)))
  for (const sender of senders) sender.request.write(rows(1))
  await expect.poll(async () => [await running(), await waiting()]).toEqual([2, 6])
  const refused = await Promise.all(senders.map(({ answer }) => Promise.race([answer, isAsked()])))
  expect(refused.flatMap((one) => one?.status ?? [])).toEqual([429, 429])
  // Another token doesn't wait for them.
  const other = send(bearer(await makeToken(databases)))
  other.request.end(rows(1))
  expect(await other.answer).toMatchObject({ status: 200, body: { created: 1 } })
  for (const sender of senders) sender.request.end()
  const answers = await Promise.all(senders.map(({ answer }) => answer))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)
  await isAtRest()
})

/** Nothing, a good while later than a refusal takes. */
async function isAsked(): Promise<undefined> {
  await once(AbortSignal.timeout(2_000), 'abort')
  return undefined
}
