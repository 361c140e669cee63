import { deliveryEventSchema } from '@dealdeck/contract/alerts'
import { expect, onTestFinished, test } from 'vitest'
import { buildTestApp, type SignedIn, type TestApp } from '../../../testing/app.ts'
import { makeDelivery, makeDestination } from '../../../testing/destinations.ts'
import { makeDeal } from '../../../testing/factories.ts'
import { publishDeliveries } from './live.ts'

/** What a reader has been told since it began to listen. */
async function openStream({ app }: TestApp, { headers }: SignedIn) {
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const response = await fetch(`${app.listeningOrigin}/api/events`, {
    headers: { cookie: headers.cookie },
    signal: ended.signal,
  })
  let text = ''
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  }
  read().catch(() => undefined)
  return () =>
    text.split('\n\n').flatMap((block) => {
      const data = /^event: deliveries\ndata: (.*)$/.exec(block)?.[1]
      return data === undefined ? [] : deliveryEventSchema.parse(JSON.parse(data))
    })
}

const here = await buildTestApp()
const there = await buildTestApp({ databases: here.databases })
await Promise.all([here, there].map(({ app }) => app.listen({ port: 0, host: '127.0.0.1' })))
const pool = here.databases.durablePool

test('a member’s pages at every instance are told of what is theirs, administrators’ of the group’s', async () => {
  const [member, admin] = [await here.signIn('user'), await here.signIn('admin')]
  const own = await Promise.all([here, there].map((instance) => openStream(instance, member)))
  const theirs = await Promise.all([here, there].map((instance) => openStream(instance, admin)))
  const change = { changed: 'alerts', destinationId: 7 } as const
  await publishDeliveries(pool, { ownerId: member.user.id, ...change })
  for (const told of own) await expect.poll(told).toEqual([{ changed: 'alerts', destination_id: 7 }])
  await publishDeliveries(pool, { ownerId: null, changed: 'destinations', destinationId: null })
  for (const told of theirs)
    await expect.poll(told).toEqual([{ changed: 'destinations', destination_id: null }])
  expect(own.map((told) => told())).toEqual(own.map(() => [{ changed: 'alerts', destination_id: 7 }]))
})

test('several changes are told in one statement, each to whom it is for', async () => {
  const [member, admin] = [await here.signIn('user'), await here.signIn('admin')]
  const [own, theirs] = [await openStream(there, member), await openStream(there, admin)]
  await publishDeliveries(
    pool,
    { ownerId: member.user.id, changed: 'log', destinationId: null },
    { ownerId: null, changed: 'alerts', destinationId: 3 },
  )
  await publishDeliveries(pool)
  await expect.poll(own).toEqual([{ changed: 'log', destination_id: null }])
  await expect.poll(theirs).toEqual([{ changed: 'alerts', destination_id: 3 }])
})

test('a thousand messages are told of a few times', async () => {
  const member = await here.signIn('user')
  const told = await openStream(here, member)
  await pool.query(
    `select pg_notify('dealdeck_deliveries', json_build_object('owner_id', $1::int, 'changed', 'log', 'destination_id', n)::text)
     from generate_series(1, 1000) n`,
    [member.user.id],
  )
  await expect.poll(told).toContainEqual({ changed: 'log', destination_id: null })
  await publishDeliveries(pool, { ownerId: member.user.id, changed: 'alerts', destinationId: null })
  await expect.poll(() => told().some(({ changed }) => changed === 'alerts')).toBe(true)
  expect(told().length).toBeLessThan(20)
})

test('whoever changes their quiet hours, or when digests come, is told that what waits is different in the log', async () => {
  const member = await here.signIn('user')
  const told = await openStream(there, member)
  const destination = await makeDestination(here.databases, { owner: member.user.id })
  const hold = async (kind: 'list' | 'digest', collectedFor: string) => {
    const deal = await makeDeal(here.databases)
    const id = await makeDelivery(here.databases, { destination, kind, deals: [deal.id] })
    await pool.query(
      `update deliveries set state = 'held', next_at = now() + interval '1 day', collected_for = $2::text,
         waits_for = nullif($2::text, 'daily') where id = $1`,
      [id, collectedFor],
    )
  }
  const changed = async (payload: object) => {
    const answer = await here.app.inject({
      ...{ method: 'PATCH', url: '/api/alerts/peace', headers: member.headers, payload },
    })
    expect(answer.statusCode).toBe(200)
  }
  // What is sent by then is told of by its destination.
  const ofLog = () => told().filter((one) => one.changed === 'log' && one.destination_id === null)
  await hold('list', 'quiet')
  await changed({ quiet_from: '01:00', quiet_to: '02:00' })
  await expect.poll(ofLog).toHaveLength(1)
  await hold('digest', 'daily')
  await changed({ digest_at: '20:15' })
  await expect.poll(ofLog).toHaveLength(2)
})
