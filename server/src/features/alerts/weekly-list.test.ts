import { expect, test } from 'vitest'
import {
  importRows,
  makeAlert,
  makeDestination,
  readDeliveries,
  row,
  steps,
} from '../../../testing/alerts.ts'
import { buildTestApp } from '../../../testing/app.ts'
import { nextAsin } from '../../../testing/factories.ts'
import { mailServer } from '../../../testing/mail-server.ts'
import { startOutbox, testOutbox } from '../../../testing/outbox.ts'
import { readSettings } from '../../platform/settings.ts'
import { email } from '../deliveries/kinds/email/email.ts'
import { sendingRules } from './actions.ts'
import { matcher } from './matching/matcher.ts'

const PUBLIC_URL = 'https://deals.example.org'
const weekMs = 7 * 86_400_000
// Only the test judges changes.
const { app, databases, signIn } = await buildTestApp({ settings: { WORKERS: 'off' } })

/** A member far east, who gets a weekly list by mail on Wednesdays, of lamps unless asked otherwise; and a way to let time go by. */
async function weeklyReader(question = 'lamp') {
  const member = await signIn('user')
  const owner = member.user.id
  const zone = 'Asia/Kathmandu'
  await databases.durablePool.query(
    `insert into peace (user_id, time_zone, follows_device, most_an_hour, most_at_once, digest_at, digest_weekday)
     values ($1, $2, false, 20, 5, '07:30', 3)`,
    [owner, zone],
  )
  const server = await mailServer()
  const destination = await makeDestination(databases, {
    ...{ owner_id: owner, kind: 'email', name: 'My mail' },
    settings: JSON.stringify({ address: 'reader@example.net' }),
  })
  await makeAlert(databases, { question, destination, owner, mode: 'weekly' })
  const settings = readSettings({ PUBLIC_URL, SMTP_URL: server.url, MAIL_FROM: 'deals@example.org' })
  let now = Date.now()
  const clock = () => new Date(now)
  const { begin, run } = steps(databases, matcher({ clock }))
  await begin()
  const outbox = startOutbox(testOutbox(databases, { ...sendingRules, kinds: [email], clock, settings }))
  const find = async (...rows: object[]) => {
    await importRows(databases, ...rows)
    await run()
  }
  const pass = (ms: number) => {
    now += ms
    outbox.wake()
  }
  const due = async () => {
    const { rows } = await databases.durablePool.query<{ next_at: Date }>(
      'select next_at from deliveries where destination_id = $1 and next_at is not null',
      [destination],
    )
    return rows.map(({ next_at }) => next_at)
  }
  const isDone = () => expect.poll(due).toEqual([])
  return { member, zone, server, destination, clock, find, pass, due, isDone }
}

test('a weekly list comes on its day, names what still holds, and ends for one member by its own link', async () => {
  const { member, zone, server, destination, clock, find, pass, due, isDone } = await weeklyReader()
  const [kept, ended, dear] = [nextAsin(), nextAsin(), nextAsin()]
  await find(row(kept, 40, 0, { title: 'Brass lamp' }), row(ended, 30, 0, { title: 'Paper lamp' }))
  await find(row(dear, 20, 1, { title: 'Stone lamp' }), row(nextAsin(), 20, 1, { title: 'Kettle' }))
  // One message, on a Wednesday at half past seven where the member is, however many days there are until then.
  const [at] = await due()
  expect(await due()).toHaveLength(1)
  const shown = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: zone })
  expect(shown.format(at)).toBe('Wednesday')
  expect(new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: zone }).format(at)).toBe('07:30')
  await find(row(ended, 30, 2, { title: 'Paper lamp', availability: null }))
  await find(row(kept, 35, 2, { title: 'Brass lamp' }))
  pass((at?.getTime() ?? 0) - clock().getTime())
  await isDone()
  const [list] = server.mails
  expect(server.mails).toHaveLength(1)
  expect(list?.mail.subject).toBe('2 deals of the last week')
  expect(list?.mail.text).toContain('Stone lamp\n$20.00')
  expect(list?.mail.text).toContain('Brass lamp\n$35.00')
  expect(list?.mail.text).not.toMatch(/Paper|Kettle/)
  // Nothing was found in the next week, so nothing comes.
  pass(weekMs)
  await isDone()
  expect(server.mails).toHaveLength(1)

  const url = /^List-Unsubscribe: ?\r?\n? ?<(.+)>/m.exec(list?.source ?? '')?.[1] ?? ''
  const { pathname } = new URL(url)
  const other = await weeklyReader()
  const isPaused = async (id: number) =>
    (await databases.durablePool.query('select is_paused from destinations where id = $1', [id])).rows[0]
      .is_paused
  const forged = pathname.replace(String(destination), String(other.destination))
  const press = (path: string) =>
    app.inject({
      ...{ method: 'POST', url: path, payload: 'List-Unsubscribe=One-Click' },
      headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
    })
  expect((await app.inject({ url: pathname, headers: { host: 'localhost' } })).statusCode).toBe(200)
  expect((await press(forged)).statusCode).toBe(404)
  expect([await isPaused(destination), await isPaused(other.destination)]).toEqual([false, false])
  expect((await press(pathname)).statusCode).toBe(200)
  expect([await isPaused(destination), await isPaused(other.destination)]).toEqual([true, false])
  const resumed = await app.inject({
    ...{ method: 'PATCH', url: `/api/destinations/${destination}`, payload: { is_paused: false } },
    headers: member.headers,
  })
  expect(resumed.json()).toMatchObject({ state: 'ok', is_paused: false })
})

test('what waits for a weekly list is left out once its address was unsubscribed', async () => {
  const { server, destination, clock, find, pass, due, isDone } = await weeklyReader()
  await find(row(nextAsin(), 40, 0))
  const [at] = await due()
  await databases.durablePool.query('update destinations set is_paused = true where id = $1', [destination])
  pass((at?.getTime() ?? 0) - clock().getTime())
  await isDone()
  expect(server.mails).toEqual([])
  const own = (await readDeliveries(databases)).filter((one) => one.destination === destination)
  expect(own).toMatchObject([{ kind: 'digest', state: 'skipped' }])
})

test('what was new when it was found is on the list unless it ended, rose or was hidden', async () => {
  const { server, clock, find, pass, due, isDone } = await weeklyReader('clock price:<50 new:<2h checked:<1h')
  const [kept, later, ended, dear, hidden] = [nextAsin(), nextAsin(), nextAsin(), nextAsin(), nextAsin()]
  const seen = (asin: string, title: string, price: number, minutes: number, more: object = {}) => ({
    ...row(asin, price, 0, { title, ...more }),
    observed_at: new Date(Date.now() + (minutes - 10) * 60_000).toISOString(),
  })
  await find(
    ...[seen(kept, 'Brass clock', 40, 0), seen(later, 'Tin clock', 40, 0), seen(ended, 'Paper clock', 30, 0)],
    ...[seen(dear, 'Stone clock', 45, 0), seen(hidden, 'Oil clock', 20, 0)],
  )
  await find(seen(later, 'Tin clock', 39, 1), seen(dear, 'Stone clock', 60, 1))
  await find(seen(ended, 'Paper clock', 30, 2, { availability: null }))
  await databases.durablePool.query(
    'update deals set hidden_at = now(), is_visible = false where asin = $1',
    [hidden],
  )
  const [at] = await due()
  pass((at?.getTime() ?? 0) - clock().getTime())
  await isDone()
  const [list] = server.mails
  expect(list?.mail.text).toContain('Brass clock\n$40.00')
  expect(list?.mail.text).toContain('Tin clock\n$39.00')
  expect(list?.mail.text).not.toMatch(/Paper|Stone|Oil/)
  expect(list?.mail.subject).toBe('2 deals of the last week')
})
