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
        else tg_table_name end, current_setting('synchronous_commit'));
    return null;
  end $$;
  ${['deliveries', 'destinations', 'delivery_limits']
    .map((table) => `create trigger note after update on ${table} for each row execute function note();`)
    .join('')}`)

test('what is about to be sent, and what became of it, waits for the disk; claims do not', async () => {
  const { origin } = await startReceiver()
  await queueMatch(databases, await makeDestination(databases, origin))
  startOutbox(
    testOutbox(databases, { kinds: [receiverKind('webhook', [{ key: 'here', burst: 5, perSecond: 1 }])] }),
  )
  const noted = async () => {
    const { rows } = await databases.customPlanPool.query<{ note: string }>(
      "select distinct what || ': ' || setting as note from noted order by 1",
    )
    return rows.map(({ note }) => note)
  }
  await expect
    .poll(noted)
    .toEqual([
      'delivery_limits: off',
      'destinations: off',
      'queued > queued: off',
      'queued > sending: on',
      'sending > sent: on',
    ])
})
