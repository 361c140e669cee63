import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import { readFound } from './episodes.ts'

const { durablePool } = await testDatabases()

test('of open episodes is read how they were told of, by all messages that name them', async () => {
  const ask = async <Row extends object>(text: string, values: unknown[]) =>
    (await durablePool.query<Row>(text, values)).rows
  const [hook] = await ask<{ id: number }>(
    `insert into destinations (kind, name, settings, state) values ('webhook', 'Hook', '{}', 'ok') returning id`,
    [],
  )
  let dealId = 100
  const episode = async (messages: [kind: string, state: string][], openedDaysAgo = 0) => {
    dealId += 1
    const [opened] = await ask<{ id: number }>(
      `insert into alert_episodes (destination_id, deal_id, price, opened_at)
       values ($1, $2, 9, now() - $3 * interval '1 day') returning id`,
      [hook?.id, dealId, openedDaysAgo],
    )
    for (const [at, [kind, state]] of messages.entries()) {
      await ask(
        `with added as (
           insert into deliveries (destination_id, kind, state, episode_id, post, next_at)
           values ($1, $2, $3, case when $2 = 'deal' then $4::bigint end, $5, now() + $6 * interval '1 day') returning id
         ) insert into delivery_deals (delivery_id, deal_id, episode_id) select id, $7, $4 from added`,
        [hook?.id, kind, state, opened?.id, at + 1, dealId, dealId],
      )
    }
    return dealId
  }
  const deals = {
    untold: await episode([]),
    old: await episode([], 40),
    skipped: await episode([['deal', 'skipped']]),
    sent: await episode([
      ['deal', 'skipped'],
      ['deal', 'sent'],
    ]),
    list: await episode([
      ['deal', 'sent'],
      ['list', 'held'],
    ]),
    digest: await episode([['digest', 'held']]),
    closed: await episode([['deal', 'sent']]),
  }
  await ask('update alert_episodes set closed_at = now() where deal_id = $1', [deals.closed])
  const client = await durablePool.connect()
  const { open } = await readFound(client, [...Object.values(deals), 9_999])
  expect((await readFound(client, [])).open).toEqual([])
  client.release()
  const told = (posts: number, flags: string[] = []) => ({
    ...{ posts, is_waiting: flags.includes('waiting') },
    ...{ is_in_digest: flags.includes('digest'), is_untold: flags.includes('untold') },
  })
  const { untold, old, skipped, sent, list, digest } = deals
  expect(open.map(({ deal_id }) => deal_id)).toEqual([untold, old, skipped, sent, list, digest])
  expect(open).toMatchObject([
    told(0, ['untold']),
    // What the log has forgotten was told.
    told(0),
    told(1, ['untold']),
    told(2),
    told(1, ['waiting']),
    told(0, ['waiting', 'digest']),
  ])
})
