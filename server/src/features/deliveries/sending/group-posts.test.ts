import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { makeDeal, makeUser } from '../../../../testing/factories.ts'
import { makeDestination, queueMatch, testOutbox } from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'
import { readSettings } from '../../../platform/settings.ts'
import { importBody } from '../../ingest/actions.ts'
import { sentBodies } from '../../ingest/reading/limits.ts'
import { findGroupPosts, markGroupPosts } from './group-posts.ts'
import { sendDelivery } from './send-delivery.ts'

const databases = await testDatabases()
const { MARKETPLACE: marketplace } = readSettings({})
const never = new AbortController().signal
const readDeal = (id: number) =>
  databases.db
    .selectFrom('deals')
    .select(['posted_to_discord', 'discord_timestamp'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

async function importRow(row: Record<string, unknown>) {
  const options = { ...{ dry_run: false, map: '', availability: '' }, source: 'test', limits: sentBodies }
  const body = Readable.from([Buffer.from(JSON.stringify([row]))])
  expect(await importBody({ databases, marketplace, clock: () => new Date() }, body, options)).toMatchObject({
    rejected_total: 0,
  })
}

test('a deal posted to a Discord channel of the group says so, and no import takes that back', async () => {
  const receiver = await startReceiver()
  const member = await makeUser(databases)
  const post = async (kind: 'discord' | 'webhook', owner_id: number | null = null) => {
    const destination = await makeDestination(databases, receiver.origin, { kind, owner_id })
    const { id, dealId } = await queueMatch(databases, destination)
    let noted = 0
    await sendDelivery(testOutbox(databases, { onGroupPost: () => (noted += 1) }), id, never)
    return { dealId, noted }
  }
  const [posted, other, own] = [
    await post('discord'),
    await post('webhook'),
    await post('discord', member.id),
  ]
  expect([posted.noted, other.noted, own.noted]).toEqual([1, 0, 0])
  await markGroupPosts(databases, never)
  expect(await readDeal(posted.dealId)).toMatchObject({
    posted_to_discord: true,
    discord_timestamp: expect.any(Date),
  })
  for (const { dealId } of [other, own])
    expect(await readDeal(dealId)).toMatchObject({ posted_to_discord: false, discord_timestamp: null })
  expect(await findGroupPosts(databases)).toEqual([])
})

test('an import that says otherwise changes nothing of a post, and one of a later post is believed', async () => {
  const postedAt = new Date(Date.now() - 60_000)
  const deal = await makeDeal(databases, { posted_to_discord: true, discord_timestamp: postedAt })
  const row = { asin: deal.asin, title: deal.title, price: 8, availability: 'In stock' }
  await importRow({ ...row, posted_to_discord: false })
  expect(await readDeal(deal.id)).toMatchObject({ posted_to_discord: true, discord_timestamp: postedAt })
  await importRow({ ...row, price: 7, posted_to_discord: true, discord_timestamp: '2026-01-01T00:00:00Z' })
  expect((await readDeal(deal.id)).discord_timestamp).toEqual(postedAt)
  const later = new Date(Date.now() - 30_000)
  await importRow({ ...row, price: 6, discord_timestamp: later.toISOString() })
  expect((await readDeal(deal.id)).discord_timestamp).toEqual(later)
})
