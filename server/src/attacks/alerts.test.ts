import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp, type SignedIn } from '../../testing/app.ts'
import { FakeServices, makeDelivery, makeDestination, makeSearch } from '../../testing/destinations.ts'
import { makeDeal } from '../../testing/factories.ts'

const services = new FakeServices()
let logged = ''
const log = pino({ level: 'trace' }, { write: (line: string) => (logged += line) })
const { app, databases, signIn } = await buildTestApp({ log, deliveries: { kinds: services.kinds } })

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const callAs =
  ({ headers }: SignedIn) =>
  async (method: Method, url: string, payload?: object) => {
    const { statusCode, body } = await app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: statusCode, text: body, body: body === '' ? null : JSON.parse(body) }
  }
const destinations = '/api/destinations'
let counter = 0
const input = (more: object = {}) => ({
  ...{ kind: 'ntfy', name: 'Mine', settings: { url: `https://there.example/${counter++}` }, ...more },
})

/** Everything of a member that others must not reach. */
async function makeVictim() {
  const victim = await signIn('user')
  const search = await makeSearch(databases, victim.user.id, { name: 'A private wish', q: 'lantern' })
  const destination = await makeDestination(databases, { owner: victim.user.id, name: 'A private place' })
  const { id: alert } = await databases.durableDb
    .insertInto('alerts')
    .values({ destination_id: destination, search_id: search })
    .returning('id')
    .executeTakeFirstOrThrow()
  const deal = await makeDeal(databases)
  const delivery = await makeDelivery(databases, { destination, deals: [deal.id], alerts: [alert] })
  return { victim, search, destination, alert, deal: deal.id, delivery }
}

test('what is another’s answers as what is not there, whatever is asked of it', async () => {
  const { search, destination, alert, deal, delivery } = await makeVictim()
  const asked = (ids: Record<'search' | 'destination' | 'alert' | 'delivery', number>) =>
    [
      ['PATCH', `${destinations}/${ids.destination}`, { name: 'Taken' }],
      ['DELETE', `${destinations}/${ids.destination}`],
      ['POST', `${destinations}/${ids.destination}/test`],
      ['POST', `${destinations}/${ids.destination}/confirm`, { code: 'AAAAAAAA' }],
      ['POST', `${destinations}/${ids.destination}/renew`],
      ['POST', `/api/deliveries/${ids.delivery}/replay`],
      ['PATCH', `/api/alerts/${ids.alert}`, { is_paused: true }],
      ['DELETE', `/api/alerts/${ids.alert}`],
      ['POST', '/api/alerts', { destination_id: ids.destination, deal_id: deal, target_price: 5 }],
      ['GET', `/api/alerts/expect?search=${ids.search}`],
      ['GET', `/api/alerts/why?search=${ids.search}&deal=${deal}`],
      ['GET', `/api/alerts/why?alert=${ids.alert}&deal=${deal}`],
      ['GET', `/api/deliveries?destination=${ids.destination}`],
      ['GET', `/api/deliveries?search=${ids.search}`],
    ] as const
  const none = { search: 900_001, destination: 900_002, alert: 900_003, delivery: 900_004 }
  const theirs = asked({ search, destination, alert, delivery })
  const absent = asked(none)
  // An administrator may send any message again, and sees the log of all; nothing else.
  for (const [role, exception] of [
    ['user', ''],
    ['admin', '/replay'],
  ] as const) {
    const call = callAs(await signIn(role))
    for (const [at, [method, url, payload]] of theirs.entries()) {
      const [otherMethod, otherUrl, otherPayload] = absent[at] ?? theirs[0]
      if (exception !== '' && url.endsWith(exception)) continue
      const answer = await call(method, url, payload)
      const expected = await call(otherMethod, otherUrl, otherPayload)
      expect([url, answer.status, answer.text]).toEqual([url, expected.status, expected.text])
      expect([404, 200]).toContain(answer.status)
    }
  }
  const row = await databases.db
    .selectFrom('destinations')
    .selectAll()
    .where('id', '=', destination)
    .executeTakeFirstOrThrow()
  expect([row.name, row.code_failures]).toEqual(['A private place', 0])
})

test('secrets stand in no answer, no log line and no list of changes', async () => {
  const secret = `very-secret-${Math.random().toString(36).slice(2)}`
  for (const role of ['user', 'admin'] as const) {
    const call = callAs(await signIn(role))
    const texts: string[] = []
    const tell = async (...asked: Parameters<typeof call>) => {
      const answer = await call(...asked)
      texts.push(answer.text)
      return answer.body
    }
    for (const kind of ['ntfy', 'webhook', 'email', 'telegram']) {
      const is_group = role === 'admin'
      const { id } = await tell('POST', destinations, input({ kind, secrets: { key: secret }, is_group }))
      const one = `${destinations}/${id}`
      await tell('PATCH', one, { settings: { url: 'https://elsewhere.example/' } })
      await tell('PATCH', one, { secrets: { key: `${secret}2`, other: secret } })
      await tell('PATCH', one, { settings: { url: 'nonsense' }, secrets: { key: `${secret}3` } })
      await tell('POST', `${one}/test`)
      await tell('GET', destinations)
      if (is_group) await tell('GET', '/api/audit?kind=destination')
    }
    // A kind that fails of itself says in its error what it was given.
    services.failure = new Error(`Can not send with ${secret}`)
    await tell('POST', destinations, input({ kind: 'email', secrets: { key: secret } }))
    services.failure = undefined
    expect(texts.join()).not.toContain(secret)
  }
  expect(logged).not.toContain('very-secret')
})

test('codes can not be guessed: five tries each, however many at once, and five codes an hour', async () => {
  const call = callAs(await signIn('user'))
  const { body } = await call('POST', destinations, input({ kind: 'email' }))
  const one = `${destinations}/${body.id}`
  let guesses = 0
  for (let code = 0; code < 7; code++) {
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => call('POST', `${one}/confirm`, { code: 'AAAAAAAA' })),
    )
    guesses += answers.filter(({ text }) => text.includes('not the code that was sent')).length
    // The right one is of no use any more either.
    const right = await call('POST', `${one}/confirm`, { code: services.codes.at(-1)?.code })
    expect(right.status).not.toBe(200)
    await call('POST', `${one}/renew`)
  }
  expect(guesses).toBe(25)
})

test('a member who makes things all at once has no more of them than one after another', async () => {
  const member = await signIn('user')
  const call = callAs(member)
  const statuses: number[] = []
  for (let round = 0; round < 14; round++) {
    const answers = await Promise.all([0, 1, 2].map(() => call('POST', destinations, input())))
    statuses.push(...answers.map(({ status }) => status))
  }
  expect(statuses.filter((status) => status === 201)).toHaveLength(20)
  expect((await call('GET', destinations)).body.items).toHaveLength(20)
  const crowd = await Promise.all(Array.from({ length: 60 }, () => call('POST', destinations, input())))
  for (const { status } of crowd) expect([409, 429]).toContain(status)
})

test('hidden deals are found out by no question, price, test or log', async () => {
  const deal = await makeDeal(databases, { title: 'Quite unheard of', price: 7, hidden_at: new Date() })
  for (const role of ['user', 'admin'] as const) {
    const member = await signIn(role)
    const call = callAs(member)
    const destination = await makeDestination(databases, { owner: member.user.id })
    const search = await makeSearch(databases, member.user.id, { q: 'unheard' })
    const texts = [
      await call('GET', '/api/alerts/expect?q=unheard'),
      await call('GET', '/api/alerts/expect?q=is:hidden'),
      await call('GET', `/api/alerts/why?search=${search}&deal=${deal.id}`),
      await call('POST', '/api/alerts', { destination_id: destination, deal_id: deal.id, target_price: 9 }),
      await call('POST', '/api/alerts', {
        destination_id: destination,
        search_id: search,
        send_matching: true,
      }),
      await call('POST', `${destinations}/${destination}/test`),
      await call('GET', '/api/deliveries'),
    ]
    expect(texts[0]?.body.matching).toBe(0)
    expect(texts[2]?.body).toMatchObject({ matches: false, failed: ['not shown to members'] })
    expect(texts[3]?.status).toBe(404)
    expect(texts.map(({ text }) => text).join()).not.toMatch(/Quite unheard|"price":7/)
    const { rows } = await databases.durablePool.query('select from delivery_deals where deal_id = $1', [
      deal.id,
    ])
    expect(rows).toEqual([])
  }
})

test('texts that a database can not hold are refused', async () => {
  const call = callAs(await signIn('user'))
  for (const text of ['a\0b', '\ud800', '\udfff x']) {
    for (const given of [
      { name: text },
      { settings: { url: `https://there.example/${text}` } },
      { secrets: { key: text } },
      { disclosure: text },
    ]) {
      const { status } = await call('POST', destinations, input(given))
      expect([201, 400]).toContain(status)
    }
  }
  expect(logged).not.toContain('"level":50')
})
