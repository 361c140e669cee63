import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { queueDeals } from '../../server/src/features/deliveries/actions.ts'
import { runNode } from './processes.ts'
import { Receiver } from './receiver.ts'
import { atMost, median, percentile, type Report } from './report.ts'
import { type Workshop, withClient } from './scratch.ts'

const destinations = 1_000
const answerMs = 100
const singles = 200
const longestMs = 120_000

/**
 * A thousand destinations, one message each at once, at receivers that take their time: by one process, and by two, of which nothing may
 * come twice. Then one message after another, from the commit that queues it to the receiver. The processes have a kind of their own.
 */
export async function measureDeliveries(workshop: Workshop): Promise<Report> {
  const { url } = await workshop.filled(10_000)
  const receiver = await Receiver.start(answerMs)
  const senders: ChildProcess[] = []
  try {
    return await withClient(url, async (client) => {
      // Before anybody looks what is due, who would have some of these tables already.
      await client.query('truncate destinations cascade')
      senders.push(await startSender(url))
      const ids = await makeDestinations(client, receiver.url)
      const alone = await sendAll(client, receiver, ids)
      senders.push(await startSender(url))
      const together = await sendAll(client, receiver, ids)
      receiver.answerMs = 0
      const lags = await measureSingles(client, receiver, ids)
      return {
        title: `${destinations} destinations, one message each, receivers that answer in ${answerMs} ms`,
        figures: [
          atMost('all sent, one process', alone.ms / 1000, 10, 's'),
          { name: 'all sent, two processes', value: together.ms / 1000, unit: 's' },
          atMost('sent twice by two processes', together.twice, 0, ''),
          atMost('commit to receiver', median(lags), 150, 'ms p50'),
          atMost(
            'commit to receiver',
            percentile(0.99, lags),
            1_000,
            'ms p99',
            `the slowest ${percentile(1, lags).toFixed(0)} ms`,
          ),
        ],
        details: { alone, together, lags },
      }
    })
  } finally {
    for (const sender of senders) sender.kill('SIGKILL')
    receiver.close()
  }
}

async function startSender(url: string): Promise<ChildProcess> {
  const sender = runNode(['server/testing/outbox-process.ts'], { DATABASE_URL: url })
  if (!sender.stdout) throw new Error('a program without output')
  const lines = createInterface(sender.stdout)
  await Promise.race([
    once(lines, 'line'),
    once(sender, 'exit').then(() => Promise.reject(new Error('Whoever sends ended early'))),
  ])
  return sender
}

async function makeDestinations(client: pg.Client, url: string): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    `insert into destinations (kind, name, settings, state)
     select 'webhook', 'Receiver ' || n, json_build_object('url', $1::text), 'ok' from generate_series(1, $2) n returning id`,
    [url, destinations],
  )
  return rows.map(({ id }) => id)
}

/** Queues a message about a deal for each of these destinations, as the matcher does. */
async function queue(client: pg.Client, ids: readonly number[]): Promise<void> {
  await client.query('begin')
  await client.query(
    'update alert_episodes set closed_at = now() where destination_id = any($1) and closed_at is null',
    [ids],
  )
  const { rows } = await client.query<{ id: number; destination_id: number; deal_id: number; price: number }>(
    `insert into alert_episodes (destination_id, deal_id, price)
     select t.id, d.id, d.price from unnest($1::bigint[]) with ordinality as t (id, n)
       join (select id, price, row_number() over () as n from deals where is_visible limit ${destinations}) d on d.n = t.n
     returning id, destination_id, deal_id, price`,
    [ids],
  )
  await queueDeals(
    client,
    rows.map(({ id, destination_id, deal_id, price }) => ({
      ...{ destinationId: destination_id, dealId: deal_id, episodeId: id, post: 1 },
      ...{ alertIds: [], isUrgent: false, price, hold: null },
    })),
  )
  await client.query('commit')
}

async function sendAll(client: pg.Client, receiver: Receiver, ids: readonly number[]) {
  receiver.uids.length = 0
  await queue(client, ids)
  const begun = performance.now()
  while (new Set(receiver.uids).size < ids.length && performance.now() - begun < longestMs) await sleep(20)
  const ms = performance.now() - begun
  // What comes twice may come late.
  await sleep(1_000)
  return { ms, twice: receiver.uids.length - new Set(receiver.uids).size }
}

async function measureSingles(
  client: pg.Client,
  receiver: Receiver,
  ids: readonly number[],
): Promise<number[]> {
  const lags: number[] = []
  for (const id of ids.slice(0, singles)) {
    const arrived = receiver.next()
    await queue(client, [id])
    const committed = performance.now()
    lags.push((await arrived) - committed)
  }
  return lags
}
