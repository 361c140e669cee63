import { expect, test } from 'vitest'
import { importRows, makeAlert, row, steps } from '../../../testing/alerts.ts'
import { testDatabases } from '../../../testing/database.ts'
import { makeUser, nextAsin } from '../../../testing/factories.ts'
import { makeDestination, startOutbox, testOutbox } from '../../../testing/outbox.ts'
import { startReceiver } from '../../../testing/receiver.ts'
import { makeSource, runNow, testSources } from '../../../testing/sources.ts'
import type { Databases } from '../../platform/database/database.ts'
import { readSettings } from '../../platform/settings.ts'
import { addWord, setWordActive } from '../blacklist/actions.ts'
import { hideDeal } from '../deals/writing/hiding.ts'
import { releaseRows } from '../quarantine/actions.ts'
import { sendingRules } from './actions.ts'
import { matcher } from './matching/matcher.ts'

const clock = () => new Date()

/** A member who is told of lamps at a receiver. `match` judges what has changed, and `send` sends all that is due of it. */
async function lampReader() {
  const databases = await testDatabases()
  const { id: owner, username } = await makeUser(databases)
  const receiver = await startReceiver()
  const destination = await makeDestination(databases, receiver.origin, { owner_id: owner })
  await makeAlert(databases, { question: 'lamp', destination, owner })
  const { begin, run: match } = steps(databases, matcher({ clock }))
  await begin()
  const log = async () => {
    const { rows } = await databases.durablePool.query(
      'select state, reason, next_at from deliveries order by id',
    )
    return rows
  }
  const send = async () => {
    const outbox = startOutbox(testOutbox(databases, sendingRules))
    await expect.poll(async () => (await log()).filter(({ next_at }) => next_at !== null)).toEqual([])
    await outbox.stop()
  }
  return {
    ...{ databases, match, send, actor: { id: owner, username } },
    lines: async () => (await log()).map(({ state, reason }) => ({ state, reason })),
    told: () => receiver.received.map(({ body }) => body),
    post: async () => {
      await match()
      await send()
    },
  }
}

const idOf = async ({ durablePool }: Databases, asin: string): Promise<number> =>
  (await durablePool.query('select id from deals where asin = $1', [asin])).rows[0].id
const notShown = { state: 'skipped', reason: 'The deal isn’t shown any more.' }
const sent = { state: 'sent', reason: '' }
const saying = (price: number) => ({ kind: 'deal', state: 'live', deal: { amount: price } })

/** A source whose list is what it is given, with all that is doubtful of it held. */
async function listedBy(databases: Databases) {
  const source = await makeSource(databases)
  let rows: object[] = []
  const deps = testSources(databases, async ({ hand }) => {
    await hand({ body: rows, isWhole: false, listsAll: false })
    return { state: 'done' }
  })
  return (...given: object[]) => {
    rows = given
    return runNow(deps, source)
  }
}

test('a row in quarantine is told to nobody, and at once when it is let through', async () => {
  const { databases, lines, told, post, actor } = await lampReader()
  const poll = await listedBy(databases)
  const asin = nextAsin()
  expect(await poll(row(asin, 1, 0))).toMatchObject({ held: 1, created: 0 })
  await post()
  expect([await lines(), told()]).toEqual([[], []])
  const { rows } = await databases.durablePool.query<{ id: number }>('select id from quarantine')
  const marketplace = readSettings({}).MARKETPLACE
  await releaseRows({ databases, clock, marketplace }, { ids: rows.map(({ id }) => id), trust: false }, actor)
  await post()
  expect(await lines()).toEqual([sent])
  expect(told()).toMatchObject([saying(1)])
})

test('a lower price that is held in quarantine changes no message, and is not told of', async () => {
  const { databases, match, lines, told, post } = await lampReader()
  const poll = await listedBy(databases)
  const asin = nextAsin()
  await poll(row(asin, 50, 0))
  await match()
  expect(await poll(row(asin, 1, 1))).toMatchObject({ held: 1, updated: 0 })
  await post()
  expect(await lines()).toEqual([sent])
  expect(told()).toMatchObject([saying(50)])
})

/** What keeps a lamp from everybody, and what undoes it. */
const unseen = {
  'hidden by a word': async (databases: Databases) => {
    const { id } = await addWord(databases, 'folding')
    return () => setWordActive(databases, id, false)
  },
  'hidden by an administrator': async (
    databases: Databases,
    asin: string,
    actor: { id: number; username: string },
  ) => {
    const id = await idOf(databases, asin)
    await hideDeal(databases, { id, is_hidden: true }, actor)
    return () => hideDeal(databases, { id, is_hidden: false }, actor)
  },
}

test.for(Object.entries(unseen))(
  'a deal %s between its match and its message is not sent, the log says why, and it is sent once it is shown again',
  async ([, hide]) => {
    const { databases, match, send, lines, told, post, actor } = await lampReader()
    const asin = nextAsin()
    await importRows(databases, row(asin, 20, 0))
    await match()
    expect(await lines()).toMatchObject([{ state: 'queued' }])
    const show = await hide(databases, asin, actor)
    await send()
    expect([await lines(), told()]).toEqual([[notShown], []])
    await post()
    await importRows(databases, row(asin, 15, 1))
    await post()
    expect([await lines(), told()]).toEqual([[notShown], []])
    await show()
    await post()
    expect(await lines()).toEqual([notShown, sent])
    expect(told()).toMatchObject([saying(15)])
  },
)

test.for(Object.entries(unseen))(
  'a deal %s before it matches is told of once it is shown again',
  async ([, hide]) => {
    const { databases, lines, told, post, actor } = await lampReader()
    const asin = nextAsin()
    await importRows(databases, row(asin, 20, 0, { availability: null }))
    const show = await hide(databases, asin, actor)
    await importRows(databases, row(asin, 20, 1))
    await post()
    expect([await lines(), told()]).toEqual([[], []])
    await show()
    await post()
    expect(await lines()).toEqual([sent])
    expect(told()).toMatchObject([saying(20)])
  },
)

/** As it is with what ends. */
const ending = async (databases: Databases, asin: string) => {
  await importRows(databases, row(asin, 20, 1, { availability: null }))
  return () => importRows(databases, row(asin, 20, 2))
}

test.for(Object.entries({ ...unseen, 'that ended': ending }))(
  'a deal %s between its match and its message, and back before anything was sent, is sent once',
  async ([, hide]) => {
    const { databases, match, lines, told, post, actor } = await lampReader()
    const asin = nextAsin()
    await importRows(databases, row(asin, 20, 0))
    await match()
    const show = await hide(databases, asin, actor)
    await show()
    await post()
    expect(await lines()).toEqual([{ state: 'skipped', reason: 'The deal ended before it was sent.' }, sent])
    expect(told()).toMatchObject([saying(20)])
  },
)
