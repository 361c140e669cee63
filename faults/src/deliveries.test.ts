import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type DealdeckProcess, startDealdeck } from '../../server/testing/dealdeck-process.ts'
import { Client, type Outcome } from './client.ts'
import { either } from './extent.ts'
import { boss, Installation } from './installation.ts'
import { isKilled, serverProcesses } from './server-processes.ts'
import { type Received, WebhookReceiver } from './webhook-receiver.ts'

const [kills, deals, searches, destinations] = either([3, 120, 12, 6], [100, 5_000, 200, 50])
/** Words that tell deals apart: each is asked for by two searches, which go to the same destination. */
const words = searches / 2
const searchesOfOne = 40

const wordOf = (at: number) => `kettle${at % words}x`
const rows = (price: number) =>
  Array.from({ length: deals }, (_, at) => ({
    ...{ asin: `B0D${String(at).padStart(7, '0')}`, title: `Enamel ${wordOf(at)} row ${at}` },
    ...{ price, availability: 'In stock' },
  }))

test(`${kills} kill -9 of random processes: each message arrives once, or the log says that nobody knows`, async () => {
  const receiver = await WebhookReceiver.start()
  const installation = await Installation.make({
    ...{ SAMPLE_DEALS: 'off', SIGNUP_MODE: 'closed', FETCH_ALLOW: '127.0.0.0/8' },
    SECRET_KEY: randomBytes(32).toString('base64'),
  })
  await installation.start()
  const client = await installation.administrator()
  await makeAlerts(client, receiver)
  let second = await startSecond(installation)

  const ended = new AbortController()
  const changing = changeDeals(client, ended.signal)
  for (let kill = 0; kill < kills; kill++) {
    await sleep(200 + Math.random() * 1_500)
    const victim = Math.floor(Math.random() * 3)
    if (victim === 0) {
      await installation.end('SIGKILL')
      await installation.start()
      client.origin = installation.origin
    } else if (victim === 1) {
      second.kill('SIGKILL')
      await second.ended()
      second = await startSecond(installation)
    } else {
      // One that was killed before may still be coming back, and what was there a moment ago be gone.
      const connections = () => installation.servers().flatMap(serverProcesses)
      await expect.poll(() => connections().some(isKilled), { timeout: 30_000 }).toBe(true)
      await installation.isReady()
    }
  }
  ended.abort()
  await changing
  // The last word, acknowledged: every deal has this price.
  const lastPrice = 39.9
  await acknowledged(() => client.import(rows(lastPrice)))
  await allSent(installation)

  const doubts = await installation.query<{ uid: string; doubts: number }>(
    `select uid, doubts from deliveries where kind = 'deal'`,
  )
  expect(problemsOf(receiver.received, new Map(doubts.map(({ uid, doubts }) => [uid, doubts])))).toEqual([])
  const lasts = new Map(receiver.received.map(({ dealId, price }) => [dealId, price]))
  const old = [...lasts].flatMap(([id, price]) => (price === lastPrice ? [] : [id]))
  // What a receiver was left with says what is true, or the log says why not.
  expect(await rowsOf(installation, old)).toEqual([])
  const first = receiver.received.filter(({ type }) => type === 'deal.matched')
  console.log(
    `${kills} kills: ${first.length} first posts of ${deals} deals, ${receiver.received.length} messages in all, ${doubts.reduce((sum, { doubts }) => sum + doubts, 0)} of unknown outcome`,
  )
})

/** What is wrong with what arrived: deals missing or at the wrong place, messages that came more often than the log has doubts of. */
function problemsOf(received: readonly Received[], doubts: ReadonlyMap<string, number>): string[] {
  const firsts = received.filter(({ type }) => type === 'deal.matched')
  const times = new Map<string, number>()
  for (const { uid } of firsts) times.set(uid, (times.get(uid) ?? 0) + 1)
  const twice = [...times].filter(([uid, count]) => count > 1 + (doubts.get(uid) ?? 0))
  const uids = new Map<number, Set<string>>()
  for (const { dealId, uid } of firsts) uids.set(dealId, (uids.get(dealId) ?? new Set()).add(uid))
  const severally = [...uids].filter(([, of]) => of.size > 1)
  return [
    ...(uids.size === deals ? [] : [`${uids.size} of ${deals} deals were told of`]),
    ...twice.map(([uid, count]) => `${uid} came ${count} times, in doubt ${doubts.get(uid)} times`),
    ...severally.map(([id, of]) => `of deal ${id} there are ${of.size} first messages`),
  ]
}

/** What the log says of messages about these deals that are not given up. */
function rowsOf(installation: Installation, dealIds: readonly number[]): Promise<object[]> {
  return installation.query(
    `select state, reason, doubts, attempts, wanted_version, sent_version, message_id, next_at, content->>'price' as said
     from deliveries y join delivery_deals l on l.delivery_id = y.id
     where y.kind = 'deal' and l.deal_id = any($1) and y.state <> 'dead' limit 20`,
    [dealIds],
  )
}

/** Destinations of the group, and shared searches of several administrators that go to them. */
async function makeAlerts(client: Client, receiver: WebhookReceiver): Promise<void> {
  await acknowledged(() =>
    client.change('PATCH', '/api/alerts/peace', { is_group: true, most_an_hour: 1_000, most_at_once: 100 }),
  )
  const ids: number[] = []
  for (let at = 0; at < destinations; at++) {
    const made = await acknowledged(() =>
      client.change('POST', '/api/destinations', {
        ...{ kind: 'webhook', name: `Channel ${at}`, is_group: true },
        settings: { url: receiver.address(String(at)) },
      }),
    )
    ids.push(made)
  }
  let owner = client
  for (let at = 0; at < searches; at++) {
    if (at > 0 && at % searchesOfOne === 0) owner = await anotherAdministrator(client, at)
    const search_id = await acknowledged(() =>
      owner.change('POST', '/api/searches', {
        ...{ name: `Search ${at}`, q: `${wordOf(at)} price:<50`, is_shared: true },
      }),
    )
    await acknowledged(() =>
      client.change('POST', '/api/alerts', {
        ...{ search_id, destination_id: ids[(at % words) % destinations] },
        // However many there are, each is a message of its own.
        options: { urgent_below: 1_000 },
      }),
    )
  }
}

async function anotherAdministrator(client: Client, at: number): Promise<Client> {
  const account = { username: `boss${at}`, password: boss.password }
  await acknowledged(() => client.change('POST', '/api/users', { ...account, role: 'admin' }))
  return new Client(client.origin).signIn(account)
}

/** Hands all deals in again and again, first at a price that nobody asks for, then at changing ones below. */
async function changeDeals(client: Client, signal: AbortSignal): Promise<void> {
  for (let time = 0; !signal.aborted; time++) {
    // Within the share of the price from which on a deal is told of once more.
    const price = time === 0 ? 60 : 40 - (time % 10) / 10
    await acknowledged(() => client.import(rows(price)))
    await sleep(300)
  }
}

/** Asks until it is acknowledged, whatever is killed meanwhile. The id of what was made, if anything. */
async function acknowledged(ask: () => Promise<Outcome>): Promise<number> {
  for (;;) {
    const outcome = await ask()
    if (outcome.kind === 'acknowledged') return Number(Object(outcome.body).id)
    if (outcome.kind === 'refused' && outcome.status !== 429)
      throw new Error(`Refused: ${JSON.stringify(outcome)}`)
    await sleep(200)
  }
}

/** A second process on the same database. */
async function startSecond(installation: Installation): Promise<DealdeckProcess> {
  const DATABASE_URL = await installation.databaseUrl()
  const second = startDealdeck({ ...installation.settings, DATABASE_URL, LOG_LEVEL: 'fatal' })
  await second.address()
  return second
}

/** Waits until nothing is due any more. */
async function allSent(installation: Installation): Promise<void> {
  const open = async () => {
    const [row] = await installation.query<{ open: number }>(
      `select (select count(*) from deliveries where next_at is not null)::int
         + (select (revision - f.position)::int from feed_state, followers f where f.name = 'alerts') as open`,
    )
    return row?.open
  }
  await expect.poll(open, { timeout: 300_000, interval: 500 }).toBe(0)
}
