import { expect, test } from 'vitest'
import { makeAskedDeals, readAskedFacts } from '../../../../testing/asked-deals.ts'
import { testDatabases } from '../../../../testing/database.ts'
import { recordAdded } from '../../../../testing/streams.ts'
import { withDealWrites } from '../actions.ts'
import { readLastArrivals, readLaterArrivals } from './arrivals.ts'
import { readRevision } from './revisions.ts'

test('whoever reads the deals that came knows of each what their JSON says', async () => {
  const databases = await testDatabases()
  await makeAskedDeals(databases, 120)
  const facts = await readAskedFacts(databases)
  const before = await readRevision(databases.customPlanPool)
  await withDealWrites(databases, (writes) => recordAdded(writes, ...facts.keys()))
  const visible = new Map([...facts].filter(([, { isVisible }]) => isVisible))
  const last = await readLastArrivals(databases.customPlanPool, 1_000)
  const later = await readLaterArrivals(databases.customPlanPool, before, () => true)
  for (const read of [last, later])
    expect(new Map(read?.arrivals.map(({ id, facts }) => [id, facts]))).toEqual(visible)
})
