import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import {
  makeDestination,
  queueMatch,
  receiverKind,
  startOutbox,
  testOutbox,
} from '../../../../testing/outbox.ts'
import { startReceiver } from '../../../../testing/receiver.ts'

const databases = await testDatabases()
await databases.durablePool.query(`
  create table noted (what text, setting text);
  create function note() returns trigger language plpgsql as $$ begin
    insert into noted values (
      case tg_table_name when 'deliveries' then to_jsonb(old) ->> 'state' || ' > ' || (to_jsonb(new) ->> 'state')
        when 'destinations' then case
          when to_jsonb(new) ->> 'last_sent_at' is distinct from to_jsonb(old) ->> 'last_sent_at' then 'success'
          when to_jsonb(new) ->> 'busy_by' is null then 'release' else 'claim' end
        else 'limit' end, current_setting('synchronous_commit'));
    return null;
  end $$;
  ${['deliveries', 'destinations', 'delivery_limits']
    .map((table) => `create trigger note after update on ${table} for each row execute function note();`)
    .join('')}`)

async function noted(): Promise<string[]> {
  const { rows } = await databases.customPlanPool.query<{ note: string }>(
    "select distinct what || ': ' || setting as note from noted order by 1",
  )
  return rows.map(({ note }) => note)
}

test('claims, what is about to be sent and what became of it wait for the disk; what a server may lose does not', async () => {
  const { origin } = await startReceiver()
  await queueMatch(databases, await makeDestination(databases, origin))
  startOutbox(
    testOutbox(databases, { kinds: [receiverKind('webhook', [{ key: 'here', burst: 5, perSecond: 1 }])] }),
  )
  await expect
    .poll(noted)
    .toEqual([
      'claim: on',
      'limit: off',
      'queued > queued: off',
      'queued > sending: on',
      'release: off',
      'sending > sent: on',
      'success: off',
    ])
})

test('a pause that a service asks for waits for the disk', async () => {
  await databases.durablePool.query('truncate noted')
  const { origin } = await startReceiver(async () => ({ status: 429, body: { seconds: 60 } }))
  await queueMatch(databases, await makeDestination(databases, origin))
  startOutbox(testOutbox(databases))
  await expect.poll(noted).toContain('release: on')
})
