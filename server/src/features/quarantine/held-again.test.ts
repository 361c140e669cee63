import { marketplaceByDomain } from '@dealdeck/marketplace/marketplaces'
import { expect, test } from 'vitest'
import { testDatabases } from '../../../testing/database.ts'
import { nextAsins } from '../../../testing/factories.ts'
import { pollSources } from '../../../testing/polls.ts'
import { makeSource, rowsOf } from '../../../testing/sources.ts'
import { systemClock } from '../../platform/clock.ts'
import { releaseRows } from './actions.ts'

const databases = await testDatabases()
const { poll } = pollSources(databases)
const query = async (sql: string, values: unknown[]) => (await databases.durablePool.query(sql, values)).rows
const waiting = (source: number): Promise<{ id: number; asin: string }[]> =>
  query(`select id, asin from quarantine where source_id = $1 and state = 'held' order by id`, [source])

/** Lets all rows of a source through that wait; `meanwhile` happens before they are imported. */
async function release(source: number, trust: boolean, meanwhile: () => Promise<unknown>) {
  let isBegun = false
  const durablePool = Object.assign(Object.create(databases.durablePool), {
    query: async (...given: unknown[]) => {
      if (!isBegun && String(given[0]).includes('insert into source_deals')) {
        isBegun = true
        await meanwhile()
      }
      return Reflect.apply(databases.durablePool.query, databases.durablePool, given)
    },
  })
  const marketplace = marketplaceByDomain('amazon.com')
  if (!marketplace) throw new Error('There is no such marketplace')
  const ids = (await waiting(source)).map(({ id }) => id)
  const deps = { databases: { ...databases, durablePool }, marketplace, clock: systemClock }
  return releaseRows(deps, { ids, trust }, { id: 1, username: 'somebody' })
}

test.each([false, true])(
  'what is let through waits no second time for a poll meanwhile, trusted: %s',
  async (trust) => {
    const source = await makeSource(databases)
    const [same = '', other = '', foreign = ''] = nextAsins(3)
    const list = (price: number) => [
      ...rowsOf([same, other], (at) => (at === 0 ? 4 : price)),
      ...rowsOf([foreign]).map((row) => ({ ...row, currency: 'EUR' })),
    ]
    await poll(
      source,
      rowsOf([same, other], () => 100),
    )
    expect(await poll(source, list(4))).toMatchObject({ held: 3 })
    const held = () => poll(source, list(3))
    expect(await release(source, trust, async () => expect(await held()).toMatchObject({ held: 3 }))).toEqual(
      {
        ...{ decided: 3, gone: 0, unchanged: 0, unreadable: 0 },
      },
    )
    // At another price it is another thing to say.
    expect((await waiting(source)).map(({ asin }) => asin)).toEqual([other])
    expect(await query('select price from deals where asin = any($1)', [[same, other]])).toEqual([
      { price: 4 },
      { price: 4 },
    ])
  },
)
